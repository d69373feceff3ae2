import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { type Draft, Entries } from '../json/draft'
import { type Json, members } from '../json/json'
import {
  anyObject,
  type Codec,
  json,
  literal,
  number,
  record,
  string,
  withDefault,
} from './combinators'
import { refuse } from './fault'
import { fieldsOf, shape, typedFields } from './object'

/** The answer to one question. */
export type Answer = NoulAnswer | ChoiceAnswer | ScoreAnswer | OtherAnswer

interface Received {
  /** Where the answer comes from: the fields alone would lose other members and number literals. D7 */
  readonly source?: Source
}

/** The text of an answer, and the fields as they were read from it, which tell those that were edited since. */
interface Source {
  readonly json: Json
  readonly fields: Fields
}

type Fields = Readonly<Record<string, unknown>>

/** How likely a yes is. spec: Response document */
interface NoulAnswer extends Received {
  readonly type: 'noul'
  readonly noul: number
}

/** One label out of a set; `probabilities` may be empty. spec: Response document */
interface ChoiceAnswer extends Received {
  readonly type: 'choice'
  readonly choice: string
  readonly confidence: number
  readonly probabilities: ReadonlyArray<readonly [label: string, probability: number]>
}

/** A place on a scale; `legend` and `probabilities` may be empty. spec: Response document */
interface ScoreAnswer extends Received {
  readonly type: 'score'
  readonly score: number
  readonly confidence: number
  readonly legend: ReadonlyArray<readonly [index: string, description: Json]>
  readonly probabilities: ReadonlyArray<readonly [index: string, probability: number]>
}

/** An answer of a type this program does not know; it goes through unchanged. spec: Versioning */
interface OtherAnswer {
  readonly type: 'other'
  /** Its `type`. */
  readonly name: string
  readonly raw: Json
}

/** Stands in a field that the service left out. */
const none: ReadonlyArray<never> = []
const probabilities = withDefault(record(number), none)
const legend = withDefault(record(json), none)

const noul = shape({ type: literal('noul'), noul: number }, {})
const choice = shape(
  { type: literal('choice'), choice: string, confidence: number, probabilities },
  {},
)
const score = shape(
  { type: literal('score'), score: number, confidence: number, legend, probabilities },
  {},
)
const other = t.type({ type: t.literal('other'), name: t.string, raw: json })

/** The names that the known types look at. */
const names = new Set(['type', 'noul', 'choice', 'score', 'confidence', 'legend', 'probabilities'])

const validate = (value: unknown, context: t.Context): t.Validation<Answer> => {
  if (!anyObject.is(value)) return refuse(value, context, 'object_type', 'must be an object')
  const given = fieldsOf(value, names)
  const named = typedFields.validate(given, context)
  if (E.isLeft(named)) return named
  const { type } = named.right
  switch (type) {
    case 'noul':
      return received(noul.validate(given, context), value)
    case 'choice':
      return received(choice.validate(given, context), value)
    case 'score':
      return received(score.validate(given, context), value)
    default:
      return t.success({ type: 'other', name: type, raw: value })
  }
}

/** The fields, with what they were read from. */
const received = <A extends Fields>(
  read: t.Validation<A>,
  json: Json,
): t.Validation<A & Received> =>
  E.isLeft(read) ? read : t.success({ ...read.right, source: { json, fields: read.right } })

const encode = (answer: Answer): Draft => {
  switch (answer.type) {
    case 'noul':
      return written(answer, () => noul.encode(answer))
    case 'choice':
      return written(answer, () => choice.encode(answer))
    case 'score':
      return written(answer, () => score.encode(answer))
    case 'other':
      return answer.raw
  }
}

/**
 * An answer as it came, but for the fields that were edited, and for those that the service left out or gave as
 * null: these are empty objects.
 */
const written = (
  answer: NoulAnswer | ChoiceAnswer | ScoreAnswer,
  encoded: () => Readonly<Record<string, Draft>>,
): Draft => {
  const { source, ...rest } = answer
  if (source === undefined) return encoded()
  const { json, fields } = source
  const now: Fields = rest
  const anew = Object.keys(now).filter((key) => now[key] !== fields[key] || now[key] === none)
  if (anew.length === 0) return json
  const values = new Map(Object.entries(encoded()).filter(([name]) => anew.includes(name)))
  const list = members(json)
  const missing = [...values].filter(([name]) => !list.some(({ key }) => key === name))
  return new Entries([
    ...list.map(({ key, name, value }) => [name, values.get(key) ?? value] as const),
    ...missing,
  ])
}

/** Answers. The fields of the known types are checked; other types are not looked into. spec: Response document */
export const Answer: Codec<Answer> = new t.Type(
  'an answer',
  (value): value is Answer => [noul, choice, score, other].some((one) => one.is(value)),
  validate,
  encode,
)
