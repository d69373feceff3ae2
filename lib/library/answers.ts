import * as E from 'fp-ts/Either'
import type { Dialect } from '../client/dialects/dialect'
import type { ReceivedAnswer } from '../codec/answer'
import { encodeText, toObject } from '../codec/json/draft'
import { type JsonValue, memberIn } from '../codec/json/json'
import { findLikeliestLevel } from '../codec/probabilities'
import type { RequestQuestion } from '../codec/question'
import type { AskResponse } from '../codec/response'
import { type Failure, invalidResponse } from '../failure/failure'
import type { ChoiceQuestion, NoulQuestion, Question, Questions, ScoreQuestion } from './questions'
import { addJsonText } from './values'

/** The member that all answers have. */
interface WithJson {
  /** The answer's JSON text as received, with the exact text of its numbers. `JSON.stringify` leaves this out. */
  readonly json: string
}

/** The answer to a yes/no question: `noul` is the probability of a yes. */
export interface NoulAnswer extends WithJson {
  readonly type: 'noul'
  readonly noul: number
}

/** The chosen label. */
export interface ChoiceAnswer<L extends string = string> extends WithJson {
  readonly type: 'choice'
  readonly choice: L
  /** The confidence that the service reports, from 0 to 1. Services compute it differently. */
  readonly confidence?: number
  /** The probability of each label. Absent if the service does not give one for each. */
  readonly probabilities?: Readonly<Record<L, number>>
}

/** A position on a scale. `N` is the union of the numbers of the levels, such as `0 | 1 | 2`. */
export interface ScoreAnswer<N extends number = number> extends WithJson {
  readonly type: 'score'
  /** The mean of the level numbers, weighted by their probabilities. */
  readonly score: number
  /** The likeliest level; the lowest if several are equally likely. Absent without probabilities, and in `JSON.stringify`. */
  readonly level?: N
  readonly confidence?: number
  /** The meaning of each level, by its number. */
  readonly legend: Readonly<Record<string, unknown>>
  /** The probability of each level. Absent if the service does not give one for each. */
  readonly probabilities?: Readonly<Record<N, number>>
}

/** The service refused to answer this question. It can take the place of any answer. */
export interface Refusal extends WithJson {
  readonly type: 'refusal'
  /** The reason in the words of the service. Escape this text before you show it. Absent if the service gives no reason. */
  readonly reason?: string
}

/** The numbers among the keys of a type: `2` for the key `'2'`, and nothing for a key such as `'length'`. */
type NumberIn<Key> = Key extends `${infer N extends number}` ? N : never

/** The level numbers of a tuple of levels: `0 | 1 | 2` for three levels, or `number` for a list of unknown length. */
type LevelOf<T extends ReadonlyArray<unknown>> = number extends T['length']
  ? number
  : NumberIn<keyof T>

/** The effect of a refused question: `return` gives a `Refusal` as its answer, `throw` makes the call throw a `RequestError`. */
export type Refusals = 'return' | 'throw'

/** The answer to a question, such as a `ChoiceAnswer` to a `ChoiceQuestion`. It may also be a `Refusal`, unless refusals are thrown. */
export type AnswerTo<Q extends Question, R extends Refusals = 'return'> =
  | (R extends 'throw' ? never : Refusal)
  | (Q extends NoulQuestion
      ? NoulAnswer
      : Q extends ChoiceQuestion<infer L>
        ? ChoiceAnswer<L>
        : Q extends ScoreQuestion<infer T>
          ? ScoreAnswer<LevelOf<T>>
          : never)

/** The number of tokens. A count is null if the service sent none. */
export interface Usage {
  readonly input_tokens: number | null
  readonly output_tokens: number | null
}

/** The answers to questions, by id. */
export type AnswersTo<Q extends Questions, R extends Refusals = 'return'> = {
  readonly [Id in keyof Q]: AnswerTo<Q[Id], R>
}

/**
 * Returns a dialect that also checks answers against the questions. An answer of another type, or a label that the question does
 * not have, is an invalid response. An answer that the service left out counts as a refusal.
 */
export const withAnswerChecks = (dialect: Dialect): Dialect => ({
  ...dialect,
  decodeResponse: (modelRequest, received) => {
    const response = dialect.decodeResponse(modelRequest, received)
    if (E.isLeft(response)) return response
    return matchAnswers(modelRequest.request.questions, response.right)
  },
})

/** The answer to a question that the service left out. */
const refusalForMissing: ReceivedAnswer = { type: 'refusal', json: toObject({ type: 'refusal' }) }

/** Matches answers to questions: adds a refusal for each missing answer. Fails if an answer does not fit its question. */
const matchAnswers = (
  questions: ReadonlyArray<readonly [id: string, question: RequestQuestion]>,
  response: AskResponse,
): E.Either<Failure, AskResponse> => {
  const addedRefusals: Array<readonly [string, ReceivedAnswer]> = []
  for (const [id, question] of questions) {
    const received = response.answers.get(id)
    if (received === undefined) {
      addedRefusals.push([id, refusalForMissing])
      continue
    }
    const unfitPath = findUnfitPath(question, received.json)
    if (unfitPath !== undefined)
      return E.left(invalidResponse(`answers.${id}${unfitPath}`, 'it does not fit the question'))
  }
  if (addedRefusals.length === 0) return E.right(response)
  return E.right({ ...response, answers: new Map([...response.answers, ...addedRefusals]) })
}

/** Returns the path of the member that does not fit the question, such as `.type`; `undefined` if the answer fits. */
const findUnfitPath = (question: RequestQuestion, answer: JsonValue): string | undefined => {
  const type = memberIn(answer, 'type')
  // `other` is a question of a type that svc does not know. `name` is that type.
  const expectedType = question.type === 'other' ? question.name : question.type
  // A refusal fits every question.
  if (type === 'refusal') return undefined
  if (type !== expectedType) return '.type'
  if (question.type !== 'choice') return undefined
  const choice = memberIn(answer, 'choice')
  const isKnownLabel = question.criteria?.some(([label]) => label === choice)
  return isKnownLabel ? undefined : '.choice'
}

/** An answer as `JSON.parse` returns it. */
type ParsedAnswer = { [name: string]: unknown }

/**
 * Completes parsed answers in place. Adds `json`, the text as received, and the `level` of a score. Deletes probabilities that
 * do not name exactly the labels or levels of their question. `parsedAnswers` and `answersAsReceived` have the same ids.
 */
export const completeAnswers = (
  questions: Questions,
  parsedAnswers: object,
  answersAsReceived: ReadonlyMap<string, JsonValue>,
): void => {
  const parsedById = parsedAnswers as { readonly [id: string]: ParsedAnswer }
  for (const [id, answerAsReceived] of answersAsReceived) {
    // `parsedAnswers` has this id too.
    const answer = addJsonText(parsedById[id] as ParsedAnswer, encodeText(answerAsReceived))
    // A service may send further answers, with ids such as `toString`.
    const question = Object.hasOwn(questions, id) ? questions[id] : undefined
    const hasProbabilities = question?.type === 'choice' || question?.type === 'score'
    if (hasProbabilities && answer.type === question.type)
      addLevelOrDropProbabilities(question, answer)
  }
}

/** Deletes the probabilities if they are incomplete. Otherwise adds the `level` of a score. */
const addLevelOrDropProbabilities = (
  question: ChoiceQuestion | ScoreQuestion,
  answer: ParsedAnswer,
): void => {
  // The labels of a choice, or the indexes of the levels of a score: '0', '1' and so on.
  const names = Object.keys(question.criteria)
  // Missing probabilities count as incomplete.
  const probabilities = (answer.probabilities ?? {}) as { readonly [name: string]: unknown }
  const isComplete =
    Object.keys(probabilities).length === names.length &&
    names.every((name) => Object.hasOwn(probabilities, name))
  if (!isComplete) {
    delete answer.probabilities
  } else if (question.type === 'score') {
    const level = findLikeliestLevel(names.map((name) => [name, Number(probabilities[name])]))
    // `JSON.stringify` leaves out a member that is defined like this.
    Object.defineProperty(answer, 'level', { value: Number(level) })
  }
}
