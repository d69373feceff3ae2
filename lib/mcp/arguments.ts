import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { type Decoder, string } from '../codec/combinators'
import { firstFault, formatLoc } from '../codec/fault'
import { Entries, toJson } from '../codec/json/draft'
import { itemsOf, type Json, kindOf, membersOf } from '../codec/json/json'
import { checkRequest, decodeTemplate, type Template } from '../codec/request'
import { type Failure, usage, validation } from '../failure/failure'
import { suggest } from '../failure/suggestion'
import { questions } from './questions'

/** The most rows of one call. R26 */
export const mostRows = 100

/** The arguments of the `ask` tool. */
interface AskArguments {
  readonly template: Template
  readonly state: Json
}

/** The arguments of the `batch` tool. */
export interface BatchArguments {
  readonly template: Template
  readonly rows: ReadonlyArray<RowArgument>
}

/** A row. Its id keeps its JSON text. R1 */
interface RowArgument {
  readonly id?: Json
  readonly state: Json
}

/** Reads and checks the arguments of `ask`. Fails with a usage or validation error that names the place. R26 */
export const readAskArguments = (given: Json | undefined): E.Either<Failure, AskArguments> =>
  pipe(
    openObject(given, '', ['state', 'questions', 'model']),
    E.bindTo('at'),
    E.bind('state', ({ at }) => requireMember(at, '', 'state')),
    E.bind('template', ({ at }) => templateOf(at)),
  )

/**
 * Reads and checks the arguments of `batch`. Fails as `readAskArguments` does, and where there are more than 100
 * rows.
 */
export const readBatchArguments = (given: Json | undefined): E.Either<Failure, BatchArguments> =>
  pipe(
    openObject(given, '', ['questions', 'rows', 'model']),
    E.bindTo('at'),
    E.bind('rows', ({ at }) => pipe(requireMember(at, '', 'rows'), E.chain(rowsOf))),
    E.bind('template', ({ at }) => templateOf(at)),
  )

type At = (name: string) => Json | undefined

const refuse = (place: string, why: string): Failure =>
  usage(`invalid arguments: ${place === '' ? '' : `${place}: `}${why}`)

/**
 * Returns a function that looks up members of an object, which may only have the given names. A null counts as
 * present, since a state may be null. D13
 */
const openObject = (
  given: Json | undefined,
  place: string,
  names: ReadonlyArray<string>,
): E.Either<Failure, At> => {
  if (given === undefined || kindOf(given) !== 'object')
    return E.left(refuse(place, 'must be an object'))
  const list = membersOf(given)
  const other = list.find(({ key }) => !names.includes(key))?.key
  return other === undefined
    ? E.right((name) => list.find(({ key }) => key === name)?.value)
    : E.left(refuse(place, `unknown field "${other}"${suggest(other, names)}`))
}

const requireMember = (at: At, place: string, name: string): E.Either<Failure, Json> =>
  E.fromNullable(refuse(`${place}${name}`, 'is required'))(at(name))

const rowsOf = (given: Json): E.Either<Failure, ReadonlyArray<RowArgument>> => {
  if (kindOf(given) !== 'array') return E.left(refuse('rows', 'must be an array'))
  const rows = itemsOf(given)
  if (rows.length > mostRows)
    return E.left(validation('rows', `a call takes at most ${mostRows} rows, got ${rows.length}`))
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
              return { ...(id && { id }), state }
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
      return given === undefined || kindOf(given) === 'null'
        ? E.right(undefined)
        : decodeMember(at, 'model', string)
    }),
    E.chain(({ asked, model }) => decodeTemplate(toJson({ questions: new Entries(asked), model }))),
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
