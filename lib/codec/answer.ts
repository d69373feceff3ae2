import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import { anyObject, createDecoder, type Decoded, json, number, record, string } from './combinators'
import { placeIn, rejectValue } from './fault'
import { changeMembers, type Draft } from './json/draft'
import { dropNull, type JsonObject, type JsonValue, memberIn, numberIn } from './json/json'
import { object, typed } from './object'
import type { Probabilities } from './probabilities'

/** An answer to a question, decoded. */
export type Answer = NoulAnswer | ChoiceAnswer | ScoreAnswer | RefusalAnswer | OtherAnswer

/** The answers of a response or record by question id, for lookups only. */
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
  /** Absent if the service gives none, which other dialects allow. */
  readonly confidence: number | undefined
  /** The probabilities of the labels, in the service's order. */
  readonly probabilities: Probabilities
  /** Present if the options were asked in several orders. */
  readonly orders?: Orders | undefined
}

/** A number on a scale. */
interface ScoreAnswer {
  readonly type: 'score'
  readonly score: number
  /** Absent if the service gives none, which other dialects allow. */
  readonly confidence: number | undefined
  /** The probabilities of the levels, in the service's order. Their names need not be indexes. */
  readonly probabilities: Probabilities
}

/** The service would not answer this question. It stands in place of an answer of any type. */
interface RefusalAnswer {
  readonly type: 'refusal'
  /** The service's reason, as it came; escape it before it is shown. */
  readonly reason?: string
}

/** An answer of a type that this program does not know. Its other fields are not read. */
interface OtherAnswer {
  readonly type: 'other'
  /** The answer's `type`. */
  readonly name: string
}

/** How far the answers to several orders of a choice's options agree. */
interface Orders {
  readonly n: number
  /** The largest difference between two orders in the probability of one label. */
  readonly spread: number
  /** How many orders chose another label than the mean. */
  readonly flips: number
}

const probabilities = record(number)
const noul = object({ noul: number }, {})
const choice = object({ choice: string }, { confidence: number, probabilities, orders: json })
const score = object({ score: number }, { confidence: number, legend: anyObject, probabilities })
const refusal = object({}, { reason: json })

/** Decodes and checks an answer. This is the only place where answers are checked, whoever asks. */
const validateAnswer: t.Validate<unknown, Answer> = (value, context) => {
  const named = typed.validate(value, context)
  if (E.isLeft(named)) return named
  const { type } = named.right
  switch (type) {
    case 'noul':
      return E.map(({ noul: yes }: Decoded<typeof noul>): Answer => ({ type, noul: yes }))(
        noul.validate(value, context),
      )
    case 'choice':
      return E.map(toChoice)(choice.validate(value, context))
    case 'score':
      return E.map(toScore)(score.validate(value, context))
    case 'refusal':
      return E.map(toRefusal)(refusal.validate(value, context))
    default:
      return t.success({ type: 'other', name: type })
  }
}

/** A decoder of answers, in a response, a record of a run or the document of a program. */
export const Answer = createDecoder<Answer>('an answer', validateAnswer)

const toChoice = (fields: Decoded<typeof choice>): Answer => ({
  type: 'choice',
  choice: fields.choice,
  confidence: fields.confidence,
  probabilities: fields.probabilities ?? [],
  orders: readOrders(fields.orders),
})

const toScore = (fields: Decoded<typeof score>): Answer => ({
  type: 'score',
  score: fields.score,
  confidence: fields.confidence,
  probabilities: fields.probabilities ?? [],
})

const toRefusal = ({ reason }: Decoded<typeof refusal>): Answer =>
  typeof reason === 'string' ? { type: 'refusal', reason } : { type: 'refusal' }

/** The fields, by type, that a service may leave out or set to null. They are then written as empty objects. */
const optionalFields: Readonly<Record<Answer['type'], ReadonlyArray<string>>> = {
  noul: [],
  choice: ['probabilities'],
  score: ['legend', 'probabilities'],
  refusal: [],
  other: [],
}

/** An answer that a service gave, decoded. `json` is the answer as it was received, for output. */
export type ReceivedAnswer = Answer & { readonly json: JsonObject }

/**
 * Decodes and checks an answer that a service gave. In `json`, optional fields that it lacks are added: `legend` is the
 * legend of a score that has none.
 */
export const receiveAnswer = (
  value: unknown,
  context: t.Context,
  legend: Draft = {},
): t.Validation<ReceivedAnswer> => {
  const decoded = validateAnswer(value, context)
  if (E.isLeft(decoded)) return decoded
  const received = value as JsonObject
  const missing = optionalFields[decoded.right.type].filter(
    (name) => dropNull(received.get(name)) === undefined,
  )
  const json = changeMembers(
    received,
    missing.map((name) => [name, name === 'legend' ? legend : {}]),
  )
  return t.success({ ...decoded.right, json })
}

/** A decoder of answers in the specification's own dialect, where choices and scores must have a confidence. */
export const ReceivedAnswer = createDecoder<ReceivedAnswer>('an answer', (value, context) => {
  const answer = receiveAnswer(value, context)
  if (E.isLeft(answer) || !('confidence' in answer.right)) return answer
  return answer.right.confidence === undefined
    ? rejectValue(undefined, placeIn(context, 'confidence', number, undefined), 'missing', '')
    : answer
})

/** Reads the member `orders` of an answer to a permuted question; a service may send another of that name. */
const readOrders = (given: JsonValue | undefined): Orders | undefined => {
  const [n, spread, flips] = ['n', 'spread', 'flips'].map((name) => numberIn(memberIn(given, name)))
  return n === undefined || spread === undefined || flips === undefined
    ? undefined
    : { n, spread, flips }
}
