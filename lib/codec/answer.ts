import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { type Draft, Entries, toJson } from '../json/draft'
import { type Json, membersOf, numberOf, stringOf, valuesOf } from '../json/json'
import {
  anyNumber,
  anyObject,
  anyString,
  type Codec,
  json,
  literal,
  objectOfEach,
} from './combinators'
import { rejectValue } from './fault'
import { fieldsCodec, readFields, typedFields } from './object'

/** An answer to a question, decoded. spec: Response document */
export type Answer = NoulAnswer | ChoiceAnswer | ScoreAnswer | OtherAnswer

/** The probability of a yes. */
interface NoulAnswer {
  readonly type: 'noul'
  readonly noul: number
}

/** The chosen label. `probabilities` may be empty. */
interface ChoiceAnswer {
  readonly type: 'choice'
  readonly choice: string
  readonly confidence: number
  readonly probabilities: ReadonlyArray<readonly [label: string, probability: number]>
}

/** A number on a scale. `probabilities` may be empty. */
interface ScoreAnswer {
  readonly type: 'score'
  readonly score: number
  readonly confidence: number
  readonly probabilities: ReadonlyArray<readonly [index: string, probability: number]>
}

/** An answer of a type that this program does not know. Its other fields are not read. spec: Versioning */
interface OtherAnswer {
  readonly type: 'other'
  /** The answer's `type`. */
  readonly name: string
}

const probabilities = objectOfEach(anyNumber)

const noul = fieldsCodec({ type: literal('noul'), noul: anyNumber }, {})
const choice = fieldsCodec(
  { type: literal('choice'), choice: anyString, confidence: anyNumber },
  { probabilities },
)
const score = fieldsCodec(
  { type: literal('score'), score: anyNumber, confidence: anyNumber },
  { legend: anyObject, probabilities },
)

/** The names of the fields that the known types have. */
const names = new Set(['type', 'noul', 'choice', 'score', 'confidence', 'legend', 'probabilities'])

type Fields = ReturnType<typeof readFields>

/** The checked fields of an answer, with their text unchanged. */
type Checked =
  | t.TypeOf<typeof noul>
  | t.TypeOf<typeof choice>
  | t.TypeOf<typeof score>
  | OtherAnswer

const validateFields = (given: Fields, context: t.Context): t.Validation<Checked> => {
  const named = typedFields.validate(given, context)
  if (E.isLeft(named)) return named
  const { type } = named.right
  switch (type) {
    case 'noul':
      return noul.validate(given, context)
    case 'choice':
      return choice.validate(given, context)
    case 'score':
      return score.validate(given, context)
    default:
      return t.success({ type: 'other', name: type })
  }
}

/** The fields, by type, that a service may leave out or set to null. They are then written as empty objects. */
const optional: Readonly<Record<Answer['type'], ReadonlyArray<string>>> = {
  noul: [],
  choice: ['probabilities'],
  score: ['legend', 'probabilities'],
  other: [],
}

/** Adds the optional fields that an answer lacks. */
const addMissing = (received: Json, given: Fields, { type }: Checked): Json => {
  const missing = optional[type].filter((name) => given[name] === undefined)
  if (missing.length === 0) return received
  const list = membersOf(received).map(({ key, name, value }) => [key, [name, value]] as const)
  const all = new Map<string, readonly [name: string | Json, value: Draft]>(list)
  for (const name of missing) all.set(name, [name, {}])
  return toJson(new Entries(all.values()))
}

/**
 * A codec for received answers, which are kept as JSON text: what is only passed on keeps its literals (D7),
 * and takes little memory. The fields of known types are checked, and missing optional ones are added.
 */
export const ReceivedAnswer: Codec<Json> = new t.Type(
  'an answer',
  json.is,
  (value, context) => {
    if (!anyObject.is(value)) return rejectValue(value, context, 'object_type', 'must be an object')
    const given = readFields(value, names)
    const fields = validateFields(given, context)
    return E.isLeft(fields) ? fields : t.success(addMissing(value, given, fields.right))
  },
  t.identity,
)

/** Decodes a received answer; `undefined` for text that is not an answer. */
export const decodeAnswer = (received: Json): Answer | undefined => {
  const fields = validateFields(readFields(received, names), [])
  return E.isRight(fields) ? answerOf(fields.right) : undefined
}

const answerOf = (fields: Checked): Answer => {
  switch (fields.type) {
    case 'noul':
      return { type: fields.type, noul: numberOf(fields.noul) }
    case 'choice':
      return { type: fields.type, choice: stringOf(fields.choice), ...sharesOf(fields) }
    case 'score':
      return { type: fields.type, score: numberOf(fields.score), ...sharesOf(fields) }
    case 'other':
      return fields
  }
}

interface Shares {
  readonly confidence: Json
  readonly probabilities?: Json
}

const sharesOf = ({ confidence, probabilities: given }: Shares) => ({
  confidence: numberOf(confidence),
  probabilities: given
    ? Array.from(valuesOf(given), ([name, share]) => [name, numberOf(share)] as const)
    : [],
})

/**
 * The confidence of a choice among `labels` labels, 0 to 1, whose likeliest label has the probability `top`:
 * (K·top − 1)/(K − 1) for K labels, 1 for a single one. D41
 */
export const choiceConfidence = (top: number, labels: number): number =>
  labels === 1 ? 1 : Math.min(1, Math.max(0, (labels * top - 1) / (labels - 1)))
