import * as E from 'fp-ts/Either'
import { type Decoder, string } from '../codec/combinators'
import { firstFault, formatLoc } from '../codec/fault'
import { type Draft, toJson } from '../codec/json/draft'
import { dropNull, isArray, isObject, type JsonObject, type JsonValue } from '../codec/json/json'
import { parseText } from '../codec/json/parse'
import { checkRequest, decodeTemplate, type Template } from '../codec/request'
import { type Failure, usage, validation } from '../failure/failure'
import { suggest } from '../text/suggestion'
import { askedQuestionsDecoder } from './questions'

/** The maximum number of rows in a call. */
export const maxRows = 100

/** The arguments of a tool. */
interface ToolArguments<A> {
  /** The request without its state: the questions, and the model if the arguments name one. */
  readonly template: Template
  /** The state of `ask`, or the rows of `batch`. */
  readonly input: A
}

/** A row of the arguments of `batch`. Its state is the data that the questions are about. */
export interface RowArgument {
  readonly id?: JsonValue
  readonly state: JsonValue
}

/** Decodes and checks the arguments of `ask`. Fails with a usage or validation error that names the path. */
export const decodeAskArguments = (args: unknown): E.Either<Failure, ToolArguments<JsonValue>> =>
  // Any value is a valid state.
  decodeArguments(args, 'state', E.right)

/** Decodes and checks the arguments of `batch`. Fails with a usage or validation error that names the path. */
export const decodeBatchArguments = (
  args: unknown,
): E.Either<Failure, ToolArguments<ReadonlyArray<RowArgument>>> =>
  decodeArguments(args, 'rows', decodeRows)

/** Decodes the arguments of a tool whose input is the member `inputName`. */
const decodeArguments = <A>(
  args: unknown,
  inputName: string,
  decodeInput: (value: JsonValue) => E.Either<Failure, A>,
): E.Either<Failure, ToolArguments<A>> => {
  const members = decodeObject(args, [inputName, 'questions', 'model'])
  if (E.isLeft(members)) return members
  const value = requireMember(members.right, inputName, inputName)
  if (E.isLeft(value)) return value
  const input = decodeInput(value.right)
  if (E.isLeft(input)) return input
  const template = decodeQuestionsAndModel(members.right)
  if (E.isLeft(template)) return template
  return E.right({ template: template.right, input: input.right })
}

/** Creates the failure for an invalid argument. `path` is `''` for the arguments as a whole. */
const createArgumentFailure = (path: string, reason: string): Failure =>
  usage(`invalid arguments: ${path === '' ? '' : `${path}: `}${reason}`)

/** Decodes the object of all arguments, which the SDK has parsed. Fails if it has a member that is not in `names`. */
const decodeObject = (
  args: unknown,
  names: ReadonlyArray<string>,
): E.Either<Failure, JsonObject> => {
  const json = toJsonValue(args)
  return E.isLeft(json) ? json : checkMembers(json.right, '', names)
}

/** Converts parsed arguments to JSON. Fails if they are missing or nested too deeply, or if a number was too large for a double. */
const toJsonValue = (args: unknown): E.Either<Failure, JsonValue> => {
  if (args === undefined) return E.left(createArgumentFailure('', 'must be an object'))
  try {
    // JSON.parse reads 1e400 as Infinity, for which JSON.stringify would write null.
    const path = findInfinity(args, '')
    if (path !== undefined)
      return E.left(createArgumentFailure(path, 'must be a number that a double can hold'))
    const json = parseText(JSON.stringify(args))
    return E.isRight(json) ? json : E.left(createArgumentFailure('', json.left.cause))
  } catch {
    // Both functions call themselves for each level of nesting, until the stack is full.
    return E.left(createArgumentFailure('', 'are nested too deeply'))
  }
}

/** Finds a number that is infinite. Returns its path, such as `rows[0].state.amount`; `undefined` if there is none. */
const findInfinity = (value: unknown, path: string): string | undefined => {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const place = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
    const found = findInfinity(member, place)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the value if it is an object whose members are all in `names`. */
const checkMembers = (
  value: JsonValue,
  path: string,
  names: ReadonlyArray<string>,
): E.Either<Failure, JsonObject> => {
  if (!isObject(value)) return E.left(createArgumentFailure(path, 'must be an object'))
  const unknownName = [...value.keys()].find((name) => !names.includes(name))
  if (unknownName === undefined) return E.right(value)
  const reason = `unknown field "${unknownName}"${suggest(unknownName, names)}`
  return E.left(createArgumentFailure(path, reason))
}

/** Returns a member. Fails if it is absent; a null counts as present, since a state may be null. */
const requireMember = (
  object: JsonObject,
  name: string,
  path: string,
): E.Either<Failure, JsonValue> => {
  const value = object.get(name)
  return value === undefined ? E.left(createArgumentFailure(path, 'is required')) : E.right(value)
}

const decodeRows = (list: JsonValue): E.Either<Failure, ReadonlyArray<RowArgument>> => {
  if (!isArray(list)) return E.left(createArgumentFailure('rows', 'must be an array'))
  if (list.length > maxRows)
    return E.left(validation('rows', `a call takes at most ${maxRows} rows, got ${list.length}`))
  const rows: RowArgument[] = []
  for (const [index, element] of list.entries()) {
    const row = decodeRow(element, `rows[${index}]`)
    if (E.isLeft(row)) return row
    rows.push(row.right)
  }
  return E.right(rows)
}

const decodeRow = (value: JsonValue, path: string): E.Either<Failure, RowArgument> => {
  const row = checkMembers(value, path, ['id', 'state'])
  if (E.isLeft(row)) return row
  const state = requireMember(row.right, 'state', `${path}.state`)
  if (E.isLeft(state)) return state
  const id = row.right.get('id')
  return E.right(id === undefined ? { state: state.right } : { id, state: state.right })
}

/** Decodes the questions and the model, and checks them like those of `svc ask`. */
const decodeQuestionsAndModel = (members: JsonObject): E.Either<Failure, Template> => {
  const questions = decodeMember(members, 'questions', askedQuestionsDecoder)
  if (E.isLeft(questions)) return questions
  const model = decodeModel(members)
  if (E.isLeft(model)) return model
  const document = toJson({
    questions: new Map<string, Draft>(questions.right),
    model: model.right,
  })
  const template = decodeTemplate(document)
  if (E.isLeft(template)) return template
  const checked = checkRequest(template.right)
  return E.isLeft(checked) ? checked : template
}

/** Decodes the model; `undefined` if it is absent or null. */
const decodeModel = (members: JsonObject): E.Either<Failure, string | undefined> =>
  dropNull(members.get('model')) === undefined
    ? E.right(undefined)
    : decodeMember(members, 'model', string)

const decodeMember = <A>(
  members: JsonObject,
  name: string,
  decoder: Decoder<A>,
): E.Either<Failure, A> => {
  const value = requireMember(members, name, name)
  if (E.isLeft(value)) return value
  const decoded = decoder.decode(value.right)
  if (E.isRight(decoded)) return decoded
  const { loc, type, message } = firstFault(decoded.left)
  // The message already names the unknown field, which is the last part of `loc`.
  const path = type === 'unknown_field' ? loc.slice(0, -1) : loc
  return E.left(createArgumentFailure(`${name}${formatLoc(path)}`, message))
}
