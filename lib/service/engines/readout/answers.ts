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

/** How the letters' probabilities are read. Each field names the flag that sets it. D40 */
export interface ReadoutOptions {
  /**
   * `--engine-permutations`: in how many orders of its options each question is asked, 1 to 20. Each order
   * takes a call.
   */
  readonly permutations: number
  /** `--engine-temperature`: above 1 evens the probabilities out, below 1 sharpens them. Greater than 0. */
  readonly temperature: number
}

/** A language model, prepared for the questions of one request. */
export interface Asked {
  /**
   * Returns the likeliest next tokens after the prompt that ends with `question`. The rest of the prompt is the
   * same for all questions of the request.
   */
  readonly ask: (question: string) => TE.TaskEither<EngineFailure, ReadonlyArray<Candidate>>
  /**
   * Cancels the questions that are still being asked. Called when one has failed, since the request fails with
   * it.
   */
  readonly stop: () => void
  /** How many questions are asked at the same time, at least 1. */
  readonly atOnce: number
}

/** Checks `--engine-temperature`. Fails with a usage error. */
export const checkTemperature = (temperature: number): E.Either<Failure, number> =>
  temperature > 0 && temperature < Number.POSITIVE_INFINITY
    ? E.right(temperature)
    : E.left(usage(`--engine-temperature must be over 0, got ${temperature}`))

/** Whether questions of this type can be answered with a letter. */
export const readable = (type: string): boolean =>
  type === 'noul' || type === 'choice' || type === 'score'

/**
 * Answers questions by letters. Each option of a question gets a letter, the model is asked for the letter of
 * the best option, and the probabilities of the letters as the next token are the answer. More than 20 options,
 * and several orders of the options, take further calls. When one question fails, all do; the first failure is
 * reported, since later ones follow from it. D40
 */
export const readAnswers = (
  questions: EngineRequest['questions'],
  options: ReadoutOptions,
  { ask, stop, atOnce }: Asked,
): TE.TaskEither<EngineFailure, ReadonlyArray<Distribution>> => {
  const answers: Array<Distribution> = []
  let first: EngineFailure | undefined
  const rest = questions.entries()
  // A question is prepared only when its turn has come: there can be tens of thousands.
  const askRest = async (): Promise<void> => {
    for (const [place, [id, question]] of rest) {
      const answer = await readAnswer(question, options, ask)()
      if (E.isRight(answer)) answers[place] = answer.right
      else if (first === undefined) {
        first = about(id, answer.left)
        stop()
      }
      if (first !== undefined) return
    }
  }
  return async () => {
    await Promise.all(Array.from({ length: atOnce }, askRest))
    return first === undefined ? E.right(answers) : E.left(first)
  }
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
  // The message now holds the question's id, which the log must not. D76
  cause: failure.cause ?? failure.message,
})
