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
  /** The answer as it is printed, where the fields alone would lose other members and number literals. D7 */
  readonly source?: Json
}

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

/** The fields, which are an object of their own, with the answer's text. */
const received = <A extends object>(
  read: t.Validation<A>,
  source: Json,
): t.Validation<A & Received> =>
  E.isLeft(read) ? read : t.success(Object.assign(read.right, { source }))

const encode = (answer: Answer): Draft => {
  switch (answer.type) {
    case 'noul':
      return answer.source ?? noul.encode(answer)
    case 'choice': {
      const { source, probabilities } = answer
      return source ? completed(source, { probabilities }) : choice.encode(answer)
    }
    case 'score': {
      const { source, legend, probabilities } = answer
      return source ? completed(source, { legend, probabilities }) : score.encode(answer)
    }
    case 'other':
      return answer.raw
  }
}

/** An answer as it came. Of these fields, those that the service left out or gave as null are empty objects. */
const completed = (
  source: Json,
  fields: Readonly<Record<string, ReadonlyArray<unknown>>>,
): Draft => {
  const absent = Object.keys(fields).filter((name) => fields[name] === none)
  if (absent.length === 0) return source
  const list = members(source)
  const missing = absent.filter((name) => !list.some(({ key }) => key === name))
  return new Entries([
    ...list.map(({ key, name, value }) => [name, absent.includes(key) ? {} : value] as const),
    ...missing.map((name) => [name, {}] as const),
  ])
}

/** Answers. The fields of the known types are checked; other types are not looked into. spec: Response document */
export const Answer: Codec<Answer> = new t.Type(
  'an answer',
  (value): value is Answer => [noul, choice, score, other].some((one) => one.is(value)),
  validate,
  encode,
)
