import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { type Draft, Entries, toJson } from '../json/draft'
import {
  type Json,
  kindOf,
  memberIn,
  membersOf,
  numberOf,
  stringIn,
  stringOf,
  valuesOf,
} from '../json/json'
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
import type { Probabilities } from './probabilities'

/** An answer to a question, decoded. spec: Response document, P9 */
export type Answer = NoulAnswer | ChoiceAnswer | ScoreAnswer | RefusalAnswer | OtherAnswer

/** The answers of a response or record by question id, where they are only looked up. */
export type Answers = Pick<ReadonlyMap<string, Answer>, 'get'>

/** The probability of a yes. */
interface NoulAnswer {
  readonly type: 'noul'
  readonly noul: number
}

/** The chosen label. */
interface ChoiceAnswer {
  readonly type: 'choice'
  readonly choice: string
  /** Absent where the service gives none, which the dialects of others allow. P8 */
  readonly confidence?: number
  /** The probabilities of the labels, in the service's order. */
  readonly probabilities: Probabilities
  /** Present where the options were asked in several orders. R13 */
  readonly orders?: Orders
}

/** A number on a scale. */
interface ScoreAnswer {
  readonly type: 'score'
  readonly score: number
  /** Absent where the service gives none, which the dialects of others allow. P8 */
  readonly confidence?: number
  /** The probabilities of the levels, in the service's order. Their names need not be indexes. */
  readonly probabilities: Probabilities
}

/** The service would not answer this question. It stands in place of an answer of any type. P9 */
interface RefusalAnswer {
  readonly type: 'refusal'
  /** The service's reason, as it came; escape it before it is shown (D59). */
  readonly reason?: string
}

/** An answer of a type that this program does not know. Its other fields are not read. spec: Versioning */
interface OtherAnswer {
  readonly type: 'other'
  /** The answer's `type`. */
  readonly name: string
}

/** How far the answers to several orders of a choice's options agree. R13 */
interface Orders {
  readonly n: number
  /** The largest difference between two orders in the probability of one label. */
  readonly spread: number
  /** How many orders chose another label than the mean. */
  readonly flips: number
}

const probabilities = objectOfEach(anyNumber)

const noul = fieldsCodec({ type: literal('noul'), noul: anyNumber }, {})
const choice = fieldsCodec(
  { type: literal('choice'), choice: anyString },
  { confidence: anyNumber, probabilities, orders: json },
)
const score = fieldsCodec(
  { type: literal('score'), score: anyNumber },
  { confidence: anyNumber, legend: anyObject, probabilities },
)
const refusal = fieldsCodec({ type: literal('refusal') }, { reason: json })

/** The names of the fields that the known types have. */
const names = [
  ...['type', 'noul', 'choice', 'score', 'confidence', 'legend', 'probabilities'],
  ...['orders', 'reason'],
]

type Fields = ReturnType<typeof readFields>

/** The checked fields of an answer, with their text unchanged. */
type CheckedFields =
  | t.TypeOf<typeof noul>
  | t.TypeOf<typeof choice>
  | t.TypeOf<typeof score>
  | t.TypeOf<typeof refusal>
  | OtherAnswer

const validateFields = (fields: Fields, context: t.Context): t.Validation<CheckedFields> => {
  const named = typedFields.validate(fields, context)
  if (E.isLeft(named)) return named
  const { type } = named.right
  switch (type) {
    case 'noul':
      return noul.validate(fields, context)
    case 'choice':
      return choice.validate(fields, context)
    case 'score':
      return score.validate(fields, context)
    case 'refusal':
      return refusal.validate(fields, context)
    default:
      return t.success({ type: 'other', name: type })
  }
}

/** The fields, by type, that a service may leave out or set to null. They are then written as empty objects. */
const optional: Readonly<Record<Answer['type'], ReadonlyArray<string>>> = {
  noul: [],
  choice: ['probabilities'],
  score: ['legend', 'probabilities'],
  refusal: [],
  other: [],
}

/** Adds the optional fields that an answer lacks. */
const addMissing = (received: Json, fields: Fields, type: Answer['type']): Json => {
  const missing = optional[type].filter((name) => fields[name] === undefined)
  if (missing.length === 0) return received
  const list = membersOf(received).map(({ key, name, value }) => [key, [name, value]] as const)
  const all = new Map<string, readonly [name: string | Json, value: Draft]>(list)
  for (const name of missing) all.set(name, [name, {}])
  return toJson(new Entries(all.values()))
}

/** Checks an answer and hands its fields to `use`. Fails with the faults of the answer. */
const validateAnswer =
  <A>(
    use: (
      received: Json,
      fields: Fields,
      checked: CheckedFields,
      context: t.Context,
    ) => t.Validation<A>,
  ): t.Validate<unknown, A> =>
  (value, context) => {
    if (!anyObject.is(value)) return rejectValue(value, context, 'object_type', 'must be an object')
    const fields = readFields(value, names)
    const checked = validateFields(fields, context)
    return E.isLeft(checked) ? checked : use(value, fields, checked.right, context)
  }

/**
 * A codec for received answers, which are kept as JSON text: what is only passed on keeps its literals (D7),
 * and takes little memory. The fields of known types are checked, and missing optional ones are added.
 */
export const ReceivedAnswer: Codec<Json> = new t.Type(
  'an answer',
  json.is,
  validateAnswer((received, fields, { type }, context) => {
    const needsConfidence = type === 'choice' || type === 'score'
    return needsConfidence && fields.confidence === undefined
      ? rejectValue(undefined, t.appendContext(context, 'confidence', anyNumber), 'missing', '')
      : t.success(addMissing(received, fields, type))
  }),
  t.identity,
)

/**
 * Decodes an answer. Fails with the faults that `ReceivedAnswer` finds too, but for a missing confidence: answers
 * in the dialects of other services may lack it. P8
 */
export const decodeAnswer = validateAnswer((_received, _fields, checked) =>
  t.success(readAnswer(checked)),
)

const readAnswer = (fields: CheckedFields): Answer => {
  switch (fields.type) {
    case 'noul':
      return { type: 'noul', noul: numberOf(fields.noul) }
    case 'choice':
      return {
        type: 'choice',
        choice: stringOf(fields.choice),
        ...confidenceOf(fields.confidence),
        probabilities: probabilitiesOf(fields.probabilities),
        ...ordersOf(fields.orders),
      }
    case 'score':
      return {
        type: 'score',
        score: numberOf(fields.score),
        ...confidenceOf(fields.confidence),
        probabilities: probabilitiesOf(fields.probabilities),
      }
    case 'refusal': {
      const reason = stringIn(fields.reason)
      return { type: 'refusal', ...(reason !== undefined && { reason }) }
    }
    case 'other':
      return fields
  }
}

const confidenceOf = (given: Json | undefined): { readonly confidence?: number } =>
  given === undefined ? {} : { confidence: numberOf(given) }

const probabilitiesOf = (given: Json | undefined): Probabilities => {
  if (given === undefined) return []
  const list: Array<readonly [name: string, p: number]> = []
  for (const [name, p] of valuesOf(given)) list.push([name, numberOf(p)])
  return list
}

/** Reads the member `orders` of an answer to a permuted question; a service may send another of that name. */
const ordersOf = (given: Json | undefined): { readonly orders?: Orders } => {
  const [n, spread, flips] = ['n', 'spread', 'flips'].map((name) => {
    const value = memberIn(given, name)
    return value !== undefined && kindOf(value) === 'number' ? numberOf(value) : undefined
  })
  return n === undefined || spread === undefined || flips === undefined
    ? {}
    : { orders: { n, spread, flips } }
}
