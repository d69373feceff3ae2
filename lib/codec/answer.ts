import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { createDecoder, isKind, json, number, record } from './combinators'
import { type FaultType, faultAt, nowhere, placeIn, rejectValue, requiredMessage } from './fault'
import { changeMembers } from './json/draft'
import {
  dropNull,
  isText,
  type Json,
  kindOf,
  MemberCursor,
  memberIn,
  numberOf,
  stringIn,
  stringOf,
} from './json/json'
import { errorsOf } from './object'
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
  readonly confidence: number | undefined
  /** The probabilities of the labels, in the service's order. */
  readonly probabilities: Probabilities
  /** Present where the options were asked in several orders. R13 */
  readonly orders?: Orders | undefined
}

/** A number on a scale. */
interface ScoreAnswer {
  readonly type: 'score'
  readonly score: number
  /** Absent where the service gives none, which the dialects of others allow. P8 */
  readonly confidence: number | undefined
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

/** The fields that the known types have. One that is null counts as absent. */
class Fields {
  type: Json | undefined
  noul: Json | undefined
  choice: Json | undefined
  score: Json | undefined
  confidence: Json | undefined
  legend: Json | undefined
  probabilities: Json | undefined
  orders: Json | undefined
  reason: Json | undefined
}

const names = Object.keys(new Fields()) as ReadonlyArray<keyof Fields>

const readFields = (answer: Json): Fields => {
  const fields = new Fields()
  const member = new MemberCursor(answer)
  while (member.next()) {
    const at = member.findName(names)
    if (at >= 0) fields[names[at] as keyof Fields] = dropNull(member.value)
  }
  return fields
}

/** Where an answer stands, and what is wrong with it. */
interface Reading {
  readonly context: t.Context
  readonly faults: t.ValidationError[]
}

/** Notes that a field is faulty. The place, which costs memory, is built only here. */
const note = (
  { context, faults }: Reading,
  name: keyof Fields,
  value: Json | undefined,
  ...fault: [type: FaultType, message: string]
): void => {
  faults.push(faultAt(value, placeIn(context, name, json, value), ...fault))
}

const readString = (reading: Reading, name: keyof Fields, value: Json | undefined): string => {
  if (value !== undefined && kindOf(value) === 'string') return stringOf(value)
  note(reading, name, value, 'string_type', 'must be a string')
  return ''
}

const readNumber = (reading: Reading, name: keyof Fields, value: Json | undefined): number => {
  if (value !== undefined && kindOf(value) === 'number') return numberOf(value)
  note(reading, name, value, 'number_type', 'must be a number')
  return Number.NaN
}

const readProbabilities = (reading: Reading, { probabilities: given }: Fields): Probabilities => {
  if (given === undefined) return []
  const read = probabilities.validate(given, nowhere)
  if (E.isRight(read)) return read.right
  const context = placeIn(reading.context, 'probabilities', json, given)
  for (const fault of errorsOf(probabilities.validate(given, context))) reading.faults.push(fault)
  return []
}

const probabilities = record(number)

const readFieldsAs = (type: string, fields: Fields, reading: Reading): Answer => {
  const { confidence: given } = fields
  switch (type) {
    case 'noul':
      return { type, noul: readNumber(reading, 'noul', fields.noul) }
    case 'choice':
      return {
        type,
        choice: readString(reading, 'choice', fields.choice),
        confidence: given && readNumber(reading, 'confidence', given),
        probabilities: readProbabilities(reading, fields),
        orders: fields.orders && readOrders(fields.orders),
      }
    case 'score': {
      const score = readNumber(reading, 'score', fields.score)
      const confidence = given && readNumber(reading, 'confidence', given)
      if (fields.legend !== undefined && kindOf(fields.legend) !== 'object')
        note(reading, 'legend', fields.legend, 'object_type', 'must be an object')
      return { type, score, confidence, probabilities: readProbabilities(reading, fields) }
    }
    case 'refusal': {
      const reason = stringIn(fields.reason)
      return reason === undefined ? { type } : { type, reason }
    }
    default:
      return { type: 'other', name: type }
  }
}

const knownTypes = ['noul', 'choice', 'score', 'refusal'] as const

const validateFields = (fields: Fields, context: t.Context): t.Validation<Answer> => {
  const reading: Reading = { context, faults: [] }
  const { type: given } = fields
  const known = given && knownTypes.find((one) => isText(given, one))
  const type = known ?? readString(reading, 'type', given)
  if (type === '' && reading.faults.length === 0)
    note(reading, 'type', given, 'empty', requiredMessage)
  if (type === '') return E.left(reading.faults)
  const answer = readFieldsAs(type, fields, reading)
  return reading.faults.length > 0 ? E.left(reading.faults) : t.success(answer)
}

/** The fields, by type, that a service may leave out or set to null. They are then written as empty objects. */
const optional: Readonly<Record<Answer['type'], ReadonlyArray<keyof Fields>>> = {
  noul: [],
  choice: ['probabilities'],
  score: ['legend', 'probabilities'],
  refusal: [],
  other: [],
}

/** Adds the optional fields that an answer lacks. */
const addMissing = (received: Json, fields: Fields, type: Answer['type']): Json =>
  changeMembers(
    received,
    optional[type].filter((name) => fields[name] === undefined).map((name) => [name, {}]),
  )

/**
 * Decodes an answer. Fails with the faults that `ReceivedAnswer` finds too, but for a missing confidence: answers
 * in the dialects of other services may lack it. P8
 */
export const decodeAnswer: t.Validate<unknown, Answer> = (value, context) =>
  isKind(value, 'object')
    ? validateFields(readFields(value), context)
    : rejectValue(value, context, 'object_type', 'must be an object')

/**
 * A decoder of received answers, which are kept as JSON text: what is only passed on keeps its literals (D7),
 * and takes little memory. The fields of known types are checked, and missing optional ones are added.
 */
export const ReceivedAnswer = createDecoder<Json>('an answer', (value, context) => {
  if (!isKind(value, 'object'))
    return rejectValue(value, context, 'object_type', 'must be an object')
  const fields = readFields(value)
  const answer = validateFields(fields, context)
  if (E.isLeft(answer)) return answer
  const { type } = answer.right
  return (type === 'choice' || type === 'score') && answer.right.confidence === undefined
    ? rejectValue(undefined, placeIn(context, 'confidence', number, undefined), 'missing', '')
    : t.success(addMissing(value, fields, type))
})

/** Reads the member `orders` of an answer to a permuted question; a service may send another of that name. */
const readOrders = (given: Json): Orders | undefined => {
  const [n, spread, flips] = ['n', 'spread', 'flips'].map((name) => {
    const value = memberIn(given, name)
    return value !== undefined && kindOf(value) === 'number' ? numberOf(value) : undefined
  })
  return n === undefined || spread === undefined || flips === undefined
    ? undefined
    : { n, spread, flips }
}
