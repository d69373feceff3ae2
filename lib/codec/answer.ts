import * as E from 'fp-ts/Either'
import {
  anyObject,
  createDecoder,
  type Decoder,
  exactString,
  lenient,
  mapDecoded,
  number,
  pairsOf,
  string,
} from './combinators'
import { contextOf, rejectValue, requiredMessage } from './fault'
import { type Change, changeMembers, type Draft } from './json/draft'
import { dropNull, type JsonObject } from './json/json'
import { object, unionByType } from './object'
import type { Probabilities } from './probabilities'

/** A decoded answer to a question. */
export type Answer = NoulAnswer | ChoiceAnswer | ScoreAnswer | RefusalAnswer | OtherAnswer

/** The answers of a response or record, by question id. */
export type Answers = ReadonlyMap<string, Answer>

/** The answer to a yes/no question, whose type is called `noul`. */
interface NoulAnswer {
  readonly type: 'noul'
  /** The probability of a yes. */
  readonly noul: number
}

/** The answer to a question for one of several labels. */
interface ChoiceAnswer {
  readonly type: 'choice'
  /** The chosen label. */
  readonly choice: string
  /** `undefined` if the service sent none. In svc's own dialect it always sends one. */
  readonly confidence: number | undefined
  /** The probabilities of the labels, in the service's order. */
  readonly probabilities: Probabilities
  /** Present if the choice was asked in several orders of its labels. */
  readonly orders?: OrderStatistics | undefined
}

/** The answer to a question for a number on a scale, whose levels are 0, 1, 2 and so on. */
interface ScoreAnswer {
  readonly type: 'score'
  readonly score: number
  /** `undefined` if the service sent none. In svc's own dialect it always sends one. */
  readonly confidence: number | undefined
  /** The probabilities of the levels, in the service's order. svc does not check that the names are numbers of levels. */
  readonly probabilities: Probabilities
}

/** The refusal of a service to answer a question of any type. */
interface RefusalAnswer {
  readonly type: 'refusal'
  /** The text of the service. Escape it before you show it. */
  readonly reason?: string | undefined
}

/** An answer of a type that svc does not know. Its other fields are ignored. */
interface OtherAnswer {
  readonly type: 'other'
  /** The answer's `type`. */
  readonly name: string
}

/** The differences between the answers to a choice in several orders of its labels. */
interface OrderStatistics {
  /** The number of orders. */
  readonly n: number
  /** The largest difference between two orders in the probability of a label. */
  readonly spread: number
  /** The number of orders that chose another label than the mean. */
  readonly flips: number
}

const noulDecoder = object({ type: exactString('noul'), noul: number }, {})

const probabilities = pairsOf(number)

/** An invalid `orders` is ignored, because a service may use the name for something else. */
const orders = lenient(object({ n: number, spread: number, flips: number }, {}))

const choiceDecoder = mapDecoded(
  object(
    { type: exactString('choice'), choice: string },
    { confidence: number, probabilities, orders },
  ),
  (answer): ChoiceAnswer => ({
    type: 'choice',
    choice: answer.choice,
    confidence: answer.confidence,
    probabilities: answer.probabilities ?? [],
    orders: answer.orders,
  }),
)

const scoreDecoder = mapDecoded(
  // `legend` is only checked. The output has it from the original document.
  object(
    { type: exactString('score'), score: number },
    { confidence: number, legend: anyObject, probabilities },
  ),
  (answer): ScoreAnswer => ({
    type: 'score',
    score: answer.score,
    confidence: answer.confidence,
    probabilities: answer.probabilities ?? [],
  }),
)

const refusalDecoder = object({ type: exactString('refusal') }, { reason: lenient(string) })

/** A decoder of answers, in a response, a record of a run or the document of a program. */
export const answerDecoder: Decoder<Answer> = unionByType(
  { noul: noulDecoder, choice: choiceDecoder, score: scoreDecoder, refusal: refusalDecoder },
  (type): Answer => ({ type: 'other', name: type }),
)

/** The fields, by the type of the answer, that svc adds for output if the service omitted them or set them to null. */
const optionalFields: Readonly<Record<Answer['type'], ReadonlyArray<string>>> = {
  noul: [],
  choice: ['probabilities'],
  score: ['legend', 'probabilities'],
  refusal: [],
  other: [],
}

/** A decoded answer of a service, and its document for output. */
export type ReceivedAnswer = Answer & { readonly json: JsonObject }

/**
 * Creates a decoder of the answers of a service, with or without a confidence. To the document it adds `optionalFields` that are
 * missing or null as empty objects. A score without a `legend` gets the argument `legend` instead, which maps levels to descriptions.
 */
export const createReceivedAnswerDecoder = (legend: Draft = {}): Decoder<ReceivedAnswer> =>
  createDecoder('an answer', (value, context) => {
    const decoded = answerDecoder.validate(value, context)
    if (E.isLeft(decoded)) return decoded
    // `answerDecoder` accepts only objects.
    const received = value as JsonObject
    const addedFields = optionalFields[decoded.right.type].flatMap(
      (name): ReadonlyArray<Change> => {
        if (dropNull(received.get(name)) !== undefined) return []
        return [{ name, value: name === 'legend' ? legend : {} }]
      },
    )
    return E.right({ ...decoded.right, json: changeMembers(received, addedFields) })
  })

const receivedAnswerDecoder = createReceivedAnswerDecoder()

/** A decoder of answers in svc's own dialect, in which choices and scores must have a confidence. */
export const ownDialectAnswerDecoder: Decoder<ReceivedAnswer> = createDecoder(
  'an answer',
  (value, context) => {
    const decoded = receivedAnswerDecoder.validate(value, context)
    if (E.isLeft(decoded)) return decoded
    const answer = decoded.right
    const canHaveConfidence = answer.type === 'choice' || answer.type === 'score'
    if (!canHaveConfidence || answer.confidence !== undefined) return decoded
    const confidenceContext = contextOf(context, 'confidence', number, undefined)
    return rejectValue(undefined, confidenceContext, 'missing', requiredMessage)
  },
)
