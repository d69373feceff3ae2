import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { type Decoder, string } from '../codec/combinators'
import { firstFault, formatLoc } from '../codec/fault'
import { type Draft, toJson } from '../codec/json/draft'
import type { JsonArray, JsonValue } from '../codec/json/json'
import { parseText } from '../codec/json/parse'
import { checkRequest, decodeTemplate, type Template } from '../codec/request'
import { type Failure, usage, validation } from '../failure/failure'
import { suggest } from '../failure/suggestion'
import { questions } from './questions'

/** The rows that one call may have. */
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
    E.bind('template', ({ at }) => templateOf(at)),
  )

/**
 * Reads and checks the arguments of `batch`. Fails as `readAskArguments` does, and where there are more than 100
 * rows.
 */
export const readBatchArguments = (given: unknown): E.Either<Failure, BatchArguments> =>
  pipe(
    readJson(given),
    E.chain((json) => openObject(json, '', ['questions', 'rows', 'model'])),
    E.bindTo('at'),
    E.bind('rows', ({ at }) => pipe(requireMember(at, '', 'rows'), E.chain(rowsOf))),
    E.bind('template', ({ at }) => templateOf(at)),
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

const rowsOf = (given: JsonValue): E.Either<Failure, ReadonlyArray<RowArgument>> => {
  if (!Array.isArray(given)) return E.left(refuse('rows', 'must be an array'))
  const rows: JsonArray = given
  if (rows.length > maxRows)
    return E.left(validation('rows', `a call takes at most ${maxRows} rows, got ${rows.length}`))
  return pipe(
    rows,
    E.traverseArrayWithIndex((index, row) =>
      pipe(
        openObject(row, `rows[${index}]`, ['id', 'state']),
        E.chain((at) =>
          pipe(
            requireMember(at, `rows[${index}].`, 'state'),
            E.map((state) => {
              const id = at('id')
              return { ...(id !== undefined && { id }), state }
            }),
          ),
        ),
      ),
    ),
  )
}

/** Reads the questions and the model, checked as in `svc ask`. */
const templateOf = (at: At): E.Either<Failure, Template> =>
  pipe(
    decodeMember(at, 'questions', questions),
    E.bindTo('asked'),
    E.bind('model', () => {
      const given = at('model')
      return given === undefined || given === null
        ? E.right(undefined)
        : decodeMember(at, 'model', string)
    }),
    E.chain(({ asked, model }) =>
      decodeTemplate(toJson({ questions: new Map<string, Draft>(asked), model })),
    ),
    E.chainFirst((template) => checkRequest(template)),
  )

const decodeMember = <A>(at: At, name: string, decoder: Decoder<A>): E.Either<Failure, A> =>
  pipe(
    requireMember(at, '', name),
    E.chain((value) =>
      pipe(
        decoder.decode(value),
        E.mapLeft((errors) => {
          const { loc, type, message } = firstFault(errors)
          // The message already names the unknown field.
          const place = type === 'unknown_field' ? loc.slice(0, -1) : loc
          return refuse(`${name}${formatLoc(place)}`, message)
        }),
      ),
    ),
  )
