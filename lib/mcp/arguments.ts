import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { type Decoder, string } from '../codec/combinators'
import { firstFault, formatLoc } from '../codec/fault'
import { type Draft, toJson } from '../codec/json/draft'
import { isArray, type JsonValue } from '../codec/json/json'
import { parseText } from '../codec/json/parse'
import { checkRequest, decodeTemplate, type Template } from '../codec/request'
import { type Failure, usage, validation } from '../failure/failure'
import { suggest } from '../failure/suggestion'
import { AskedQuestions } from './questions'

/** How many rows a call may have. */
export const maxRows = 100

/** The arguments of the `ask` tool. */
interface AskArguments {
  readonly template: Template
  readonly state: JsonValue
}

/** The arguments of the `batch` tool. */
export interface BatchArguments {
  readonly template: Template
  readonly rows: ReadonlyArray<RowArgument>
}

interface RowArgument {
  readonly id?: JsonValue
  readonly state: JsonValue
}

/** Reads and checks the arguments of `ask`. Fails with a usage or validation error that names the place. */
export const readAskArguments = (given: unknown): E.Either<Failure, AskArguments> =>
  pipe(
    readJson(given),
    E.chain((json) => openObject(json, '', ['state', 'questions', 'model'])),
    E.bindTo('at'),
    E.bind('state', ({ at }) => requireMember(at, '', 'state')),
    E.bind('template', ({ at }) => readTemplate(at)),
  )

/** Reads and checks the arguments of `batch`. Fails as `readAskArguments` does, and if there are more than 100 rows. */
export const readBatchArguments = (given: unknown): E.Either<Failure, BatchArguments> =>
  pipe(
    readJson(given),
    E.chain((json) => openObject(json, '', ['questions', 'rows', 'model'])),
    E.bindTo('at'),
    E.bind('list', ({ at }) => requireMember(at, '', 'rows')),
    E.bind('rows', ({ list }) => readRows(list)),
    E.bind('template', ({ at }) => readTemplate(at)),
  )

/** Turns arguments that the SDK has parsed into JSON. Fails if they are missing or nested too deeply. */
const readJson = (given: unknown): E.Either<Failure, JsonValue> => {
  if (given === undefined) return E.left(refuse('', 'must be an object'))
  try {
    return pipe(
      parseText(JSON.stringify(given)),
      E.mapLeft(({ cause }) => refuse('', cause)),
    )
  } catch {
    // JSON.stringify calls itself for each level and runs out of stack.
    return E.left(refuse('', 'are nested too deeply'))
  }
}

type At = (name: string) => JsonValue | undefined

const refuse = (place: string, why: string): Failure =>
  usage(`invalid arguments: ${place === '' ? '' : `${place}: `}${why}`)

/**
 * Returns a function that looks up members of an object, which may only have the given names. A null counts as
 * present, since a state may be null.
 */
const openObject = (
  given: JsonValue,
  place: string,
  names: ReadonlyArray<string>,
): E.Either<Failure, At> => {
  if (!(given instanceof Map)) return E.left(refuse(place, 'must be an object'))
  const other = [...given.keys()].find((name) => !names.includes(name))
  return other === undefined
    ? E.right((name) => given.get(name))
    : E.left(refuse(place, `unknown field "${other}"${suggest(other, names)}`))
}

const requireMember = (at: At, place: string, name: string): E.Either<Failure, JsonValue> => {
  const value = at(name)
  return value === undefined ? E.left(refuse(`${place}${name}`, 'is required')) : E.right(value)
}

const readRows = (given: JsonValue): E.Either<Failure, ReadonlyArray<RowArgument>> => {
  if (!isArray(given)) return E.left(refuse('rows', 'must be an array'))
  if (given.length > maxRows)
    return E.left(validation('rows', `a call takes at most ${maxRows} rows, got ${given.length}`))
  const rows: RowArgument[] = []
  for (const [index, one] of given.entries()) {
    const row = readRow(one, `rows[${index}]`)
    if (E.isLeft(row)) return row
    rows.push(row.right)
  }
  return E.right(rows)
}

const readRow = (given: JsonValue, place: string): E.Either<Failure, RowArgument> => {
  const opened = openObject(given, place, ['id', 'state'])
  if (E.isLeft(opened)) return opened
  const at = opened.right
  const state = requireMember(at, `${place}.`, 'state')
  if (E.isLeft(state)) return state
  const id = at('id')
  return E.right({ ...(id !== undefined && { id }), state: state.right })
}

/** Reads the questions and the model, checked as in `svc ask`. */
const readTemplate = (at: At): E.Either<Failure, Template> =>
  pipe(
    decodeMember(at, 'questions', AskedQuestions),
    E.bindTo('asked'),
    E.bind('model', () => readModel(at)),
    E.chain(({ asked, model }) =>
      decodeTemplate(toJson({ questions: new Map<string, Draft>(asked), model })),
    ),
    E.chainFirst((template) => checkRequest(template)),
  )

const readModel = (at: At): E.Either<Failure, string | undefined> => {
  const given = at('model')
  return given === undefined || given === null
    ? E.right(undefined)
    : decodeMember(at, 'model', string)
}

const decodeMember = <A>(at: At, name: string, decoder: Decoder<A>): E.Either<Failure, A> => {
  const value = requireMember(at, '', name)
  if (E.isLeft(value)) return value
  const decoded = decoder.decode(value.right)
  if (E.isRight(decoded)) return decoded
  const { loc, type, message } = firstFault(decoded.left)
  // The message already names the unknown field.
  const place = type === 'unknown_field' ? loc.slice(0, -1) : loc
  return E.left(refuse(`${name}${formatLoc(place)}`, message))
}
