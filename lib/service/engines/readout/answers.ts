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
import type { EngineSettings } from '../../contract/engine-settings'
import { abbreviate, engineFailed, type Problem } from '../../contract/problem'
import type { Candidate } from './letters'
import { formatOptions, formatQuestion } from './prompt'
import { readDistribution } from './read-distribution'
import { averageRotations, rotateOptions } from './rotations'
import { askInRounds } from './rounds'

/** The settings for reading answers as letters. */
export type ReadoutOptions = Pick<EngineSettings, 'permutations' | 'temperature'>

/** A model's result for one prompt. */
export interface TokenCompletion {
  /** The likeliest next tokens. Empty if the model returns no log-probabilities. */
  readonly candidates: ReadonlyArray<Candidate>
  /** The number of tokens read; `null` if the model does not report it. */
  readonly inputTokens: number | null
  /** The number of tokens written; `null` if the model does not report it. */
  readonly outputTokens: number | null
  /** `true` if the model has begun to think instead of answering. */
  readonly isThinking?: boolean
}

/** A language model, prepared for the questions of one request. */
interface PreparedModel {
  /** Reads a prompt that ends with `promptEnd`. All questions of a request share the beginning of the prompt. */
  readonly complete: (
    promptEnd: string,
    signal: AbortSignal,
  ) => TE.TaskEither<Problem, TokenCompletion>
  /** The maximum number of concurrent prompts, at least 1. */
  readonly maxConcurrent: number
  /** The maximum number of options in one prompt, at most 20. */
  readonly maxOptions: number
}

/** Returns the likeliest next tokens after a prompt that ends with `promptEnd`. */
type AskModel = (promptEnd: string) => TE.TaskEither<Problem, ReadonlyArray<Candidate>>

/** The problem of a question that was cancelled, because its request was aborted or another of its questions failed. */
export const cancelled = engineFailed('the question was cancelled')

/**
 * Answers questions by letters. Each option of a question gets a letter. The prompt asks for the letter of the best option. The
 * probabilities of the letters as the next token are the answer. A question takes several prompts if it has more options than
 * `maxOptions`, or if it is asked in several orders. If a question fails, the request fails and its other questions are cancelled.
 * `usage` is the sum of the reported tokens.
 */
export const readAnswers =
  (
    questions: EngineRequest['questions'],
    options: ReadoutOptions,
    { complete, maxConcurrent, maxOptions }: PreparedModel,
    signal: AbortSignal,
  ): TE.TaskEither<Problem, EngineAnswer> =>
  async () => {
    const failureController = new AbortController()
    const anySignal = AbortSignal.any([signal, failureController.signal])
    // Each call adds a listener. Node 20 warns on stderr about more than ten; 0 means no limit.
    setMaxListeners(0, anySignal)
    const queue = createWorkQueue(maxConcurrent, Number.POSITIVE_INFINITY)
    const answers: Array<Distribution> = []
    let firstFailure: Problem | undefined
    let inputSum: number | null = null
    let outputSum: number | null = null

    const askModel: AskModel = (promptEnd) => async () => {
      const result = await queue.run(anySignal, () => complete(promptEnd, anySignal)())
      // None if the signal is aborted before the prompt's turn.
      if (O.isNone(result)) return E.left(cancelled)
      const completion = result.value
      if (E.isLeft(completion)) return completion
      const { candidates, inputTokens, outputTokens } = completion.right
      inputSum = addTokens(inputSum, inputTokens)
      outputSum = addTokens(outputSum, outputTokens)
      return E.right(candidates)
    }

    // The workers share this iterator, so only the prompts of questions in flight are in memory.
    const remainingQuestions = questions.entries()
    const answerRemaining = async (): Promise<void> => {
      for (const [index, [id, question]] of remainingQuestions) {
        const answer = await answerQuestion(question, options, maxOptions, askModel)()
        // Another question has failed meanwhile, so this answer is not needed.
        if (firstFailure !== undefined) return
        if (E.isLeft(answer)) {
          firstFailure = addQuestionId(id, answer.left)
          failureController.abort()
          return
        }
        answers[index] = answer.right
      }
    }
    await Promise.all(Array.from({ length: maxConcurrent }, answerRemaining))
    return firstFailure === undefined
      ? E.right({ answers, usage: { input_tokens: inputSum, output_tokens: outputSum } })
      : E.left(firstFailure)
  }

/** Adds a number of tokens to a sum. The sum is null if no number has been reported. */
const addTokens = (sum: number | null, tokens: number | null): number | null =>
  tokens === null ? sum : (sum ?? 0) + tokens

const answerQuestion = (
  question: EngineQuestion,
  { permutations, temperature }: ReadoutOptions,
  maxOptions: number,
  askModel: AskModel,
): TE.TaskEither<Problem, Distribution> => {
  const texts = formatOptions(question)
  // An option is its index in `texts`, so it always has a text.
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
    TE.map((probabilities): Distribution => {
      const { type } = question
      if (type !== 'noul') return { type, probabilities }
      // The first of the two options of a yes/no question is yes. The default is only for the compiler.
      const [yes = 0.5] = probabilities
      return { type, yes }
    }),
  )
}

/** Adds the question's id to the message for the caller. The cause, which is logged, has no id. */
const addQuestionId = (id: string, problem: Problem): Problem => ({
  ...problem,
  message: `question ${JSON.stringify(abbreviate(id))}: ${problem.message}`,
  cause: problem.cause ?? problem.message,
})
