import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../../failure/failure'
import {
  type Distribution,
  type EngineFailure,
  type EngineQuestion,
  type EngineRequest,
  unsupported,
} from '../engine'
import type { Candidate } from './letters'
import { optionTexts, promptQuestion } from './prompt'
import { readDistribution } from './read-distribution'
import { rotate, unrotate } from './rotations'
import { inRounds } from './rounds'

/** How letters are made probabilities. Each field names the flag that sets it. D40 */
export interface ReadoutOptions {
  /**
   * `--engine-permutations`: in how many orders of its options each question is asked, 1 to 20. Each order
   * takes a call of its own.
   */
  readonly permutations: number
  /** `--engine-temperature`: above 1 evens the probabilities out, below 1 sharpens them. Over 0. */
  readonly temperature: number
}

/** A language model that is asked the questions of one request. */
export interface Asked {
  /**
   * The likeliest tokens to come after the request's prompt, of which `question` is the end. What stands before it
   * is the same for all questions of the request.
   */
  readonly ask: (question: string) => TE.TaskEither<EngineFailure, ReadonlyArray<Candidate>>
  /** Ends what is still asked. Called when a question has failed, since its request fails with it. */
  readonly stop: () => void
}

/** Checks what the flags' types cannot; the message names the flag. */
export const checkTemperature = (temperature: number): E.Either<Failure, number> =>
  temperature > 0 && temperature < Number.POSITIVE_INFINITY
    ? E.right(temperature)
    : E.left(usage(`--engine-temperature must be over 0, got ${temperature}`))

/** The types of questions that letters can answer. */
export const readable = (type: string): boolean =>
  type === 'noul' || type === 'choice' || type === 'score'

/**
 * Answers questions by letters. Each option of a question gets one, and the model is asked for the letter of the
 * best option: the probabilities of the letters as the next token are the answer. More options than can be told
 * apart at once, and several orders of the options, take further calls. A question that fails fails them all, and
 * of several failures the first is told, since the others follow from it. D40
 */
export const readAnswers = (
  questions: EngineRequest['questions'],
  options: ReadoutOptions,
  { ask, stop }: Asked,
): TE.TaskEither<EngineFailure, ReadonlyArray<Distribution>> => {
  let first: EngineFailure | undefined
  return pipe(
    questions,
    TE.traverseArray(([id, question]) =>
      pipe(
        readAnswer(question, options, ask),
        TE.mapLeft((failure) => {
          first ??= about(id, failure)
          stop()
          return first
        }),
      ),
    ),
    TE.mapLeft((failure) => first ?? failure),
  )
}

const readAnswer = (
  question: EngineQuestion,
  { permutations, temperature }: ReadoutOptions,
  ask: Asked['ask'],
): TE.TaskEither<EngineFailure, Distribution> => {
  if (question.type === 'other') {
    return TE.left(unsupported(`questions of type ${question.name} are not answered`))
  }
  const texts = optionTexts(question)
  return pipe(
    inRounds<EngineFailure>(texts.length, (options) =>
      pipe(
        rotate(options, permutations),
        TE.traverseArray((order) =>
          pipe(
            order.map((option) => texts[option] ?? ''),
            (shown) => ask(promptQuestion(question, shown)),
            TE.chainEitherK((candidates) =>
              readDistribution(candidates, order.length, temperature),
            ),
          ),
        ),
        TE.map(unrotate),
      ),
    ),
    TE.map(
      (all): Distribution =>
        question.type === 'noul'
          ? { type: 'noul', yes: all[0] ?? 0.5 }
          : { type: question.type, probabilities: all },
    ),
  )
}

const about = (id: string, failure: EngineFailure): EngineFailure => ({
  ...failure,
  message: `question ${JSON.stringify(id)}: ${failure.message}`,
  // The log has no question in it. D76
  cause: failure.cause ?? failure.message,
})
