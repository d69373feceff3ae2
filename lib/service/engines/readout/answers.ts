import { setMaxListeners } from 'node:events'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as O from 'fp-ts/Option'
import * as TE from 'fp-ts/TaskEither'
import { createWorkQueue } from '../../../runtime/work-queue'
import type {
  Distribution,
  EngineAnswer,
  EngineQuestion,
  EngineRequest,
} from '../../contract/engine'
import { abbreviate, engineFailed, type Problem } from '../../contract/problem'
import type { Candidate } from './letters'
import { formatQuestion, optionTexts } from './prompt'
import { readDistribution } from './read-distribution'
import { averageRotations, rotateOptions } from './rotations'
import { askInRounds } from './rounds'

/** The settings for reading the letters' probabilities. Each field names the flag that sets it. */
export interface ReadoutOptions {
  /** `--engine-permutations`: the number of orders of its options in which each question is asked, 1 to 20. */
  readonly permutations: number
  /** `--engine-temperature`: above 1 evens the probabilities out, below 1 sharpens them. Greater than 0. */
  readonly temperature: number
}

/** The result of a model for one prompt. */
export interface TokenCompletion {
  /** The likeliest next tokens. Empty if the model returns no log-probabilities. */
  readonly candidates: ReadonlyArray<Candidate>
  /** Tokens read and written; null if the model does not report them. */
  readonly input: number | null
  readonly output: number | null
}

/** A language model, prepared for the questions of one request. */
interface PreparedModel {
  /** Has the model read the prompt that ends with `question`. All questions share the beginning of the prompt. */
  readonly ask: (question: string, signal: AbortSignal) => TE.TaskEither<Problem, TokenCompletion>
  /** The maximum number of prompts that are read at the same time, at least 1. */
  readonly maxConcurrent: number
  /** The maximum number of options in one prompt, at most 20. */
  readonly maxOptions: number
}

/** The failure of a question that was abandoned because its caller had left. */
export const cancelled = engineFailed('the question was cancelled')

/**
 * Answers questions by letters. Each option of a question gets a letter, the model is asked for the letter of
 * the best option, and the probabilities of the letters as the next token are the answer. More than 20 options,
 * and several orders of the options, take further calls. If a question fails, the request fails with that failure, and the
 * questions in flight are cancelled. `usage` sums the tokens that the model reports.
 */
export const readAnswers =
  (
    questions: EngineRequest['questions'],
    options: ReadoutOptions,
    { ask, maxConcurrent, maxOptions }: PreparedModel,
    signal: AbortSignal,
  ): TE.TaskEither<Problem, EngineAnswer> =>
  async () => {
    const failureController = new AbortController()
    const anySignal = AbortSignal.any([signal, failureController.signal])
    // Each call has a listener, and Node 20 warns on stderr about more than ten.
    setMaxListeners(0, anySignal)
    const queue = createWorkQueue(maxConcurrent, Number.POSITIVE_INFINITY)
    const answers: Array<Distribution> = []
    let firstFailure: Problem | undefined
    let inputTokens: number | null = null
    let outputTokens: number | null = null

    const askModel: AskModel = (question) => async () => {
      // The prompt is built only when its turn comes, to save memory.
      const result = await queue.run(anySignal, () => ask(question, anySignal)())
      if (O.isNone(result)) return E.left(cancelled)
      const completion = result.value
      if (E.isLeft(completion)) return completion
      inputTokens = addTokens(inputTokens, completion.right.input)
      outputTokens = addTokens(outputTokens, completion.right.output)
      return E.right(completion.right.candidates)
    }

    // The workers share this iterator. A question is prepared only when its turn comes: there can be tens of thousands.
    const remaining = questions.entries()
    const work = async (): Promise<void> => {
      for (const [index, [id, question]] of remaining) {
        const answer = await readAnswer(question, options, maxOptions, askModel)()
        if (firstFailure !== undefined) return
        if (E.isLeft(answer)) {
          firstFailure = addQuestionId(id, answer.left)
          failureController.abort()
          return
        }
        answers[index] = answer.right
      }
    }
    await Promise.all(Array.from({ length: maxConcurrent }, work))
    return firstFailure === undefined
      ? E.right({ answers, usage: { input_tokens: inputTokens, output_tokens: outputTokens } })
      : E.left(firstFailure)
  }

/** Adds a number of tokens to a sum. Null, from a model that reports none, changes nothing. */
const addTokens = (sum: number | null, tokens: number | null): number | null =>
  tokens === null ? sum : (sum ?? 0) + tokens

/** Asks for the likeliest next tokens after a prompt. */
type AskModel = (question: string) => TE.TaskEither<Problem, ReadonlyArray<Candidate>>

/** Answers one question, in as many prompts as its options and their orders take. */
const readAnswer = (
  question: EngineQuestion,
  { permutations, temperature }: ReadoutOptions,
  maxOptions: number,
  askModel: AskModel,
): TE.TaskEither<Problem, Distribution> => {
  const texts = optionTexts(question)
  const askInOrder = (order: ReadonlyArray<number>) => {
    const orderedTexts = order.map((option) => texts[option] ?? '')
    return pipe(
      askModel(formatQuestion(question, orderedTexts)),
      TE.chainEitherK((candidates) => readDistribution(candidates, order.length, temperature)),
    )
  }
  const askAmong = (options: ReadonlyArray<number>) =>
    pipe(
      rotateOptions(options, permutations),
      TE.traverseArray(askInOrder),
      TE.map(averageRotations),
    )
  return pipe(
    askInRounds([...texts.keys()], maxOptions, askAmong),
    TE.map(
      (probabilities): Distribution =>
        question.type === 'noul'
          ? { type: 'noul', yes: probabilities[0] ?? 0.5 }
          : { type: question.type, probabilities },
    ),
  )
}

/** Puts a question's id before a problem's message. The cause, which is logged, stays without the id. */
const addQuestionId = (id: string, problem: Problem): Problem => ({
  ...problem,
  message: `question ${JSON.stringify(abbreviate(id))}: ${problem.message}`,
  cause: problem.cause ?? problem.message,
})
