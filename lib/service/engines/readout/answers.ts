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
import { optionTexts, promptQuestion } from './prompt'
import { readDistribution } from './read-distribution'
import { rotate, unrotate } from './rotations'
import { askInRounds } from './rounds'

/** The settings for reading the letters' probabilities. Each field names the flag that sets it. */
export interface ReadoutOptions {
  /** `--engine-permutations`: in how many orders of its options each question is asked, 1 to 20. Each takes a call. */
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
  /** Has the model read the prompt that ends with `question`. The rest of the prompt is the same for all questions. */
  readonly ask: (question: string, signal: AbortSignal) => TE.TaskEither<Problem, TokenCompletion>
  /** The number of prompts that are read at the same time, at least 1. */
  readonly atOnce: number
  /** The maximum number of options in one prompt, at most 20. */
  readonly maxOptions: number
}

/** The failure of a question that was abandoned because its caller had left. */
export const cancelled = engineFailed('the question was cancelled')

/**
 * Answers questions by letters. Each option of a question gets a letter, the model is asked for the letter of
 * the best option, and the probabilities of the letters as the next token are the answer. More than 20 options,
 * and several orders of the options, take further calls. When one question fails, all do, and those still being
 * asked are cancelled; the first failure is reported, since later ones follow from it. `usage` sums the tokens
 * that the model reports.
 */
export const readAnswers =
  (
    questions: EngineRequest['questions'],
    options: ReadoutOptions,
    { ask, atOnce, maxOptions }: PreparedModel,
    signal: AbortSignal,
  ): TE.TaskEither<Problem, EngineAnswer> =>
  async () => {
    const failed = new AbortController()
    const end = AbortSignal.any([signal, failed.signal])
    // Each call has a listener, and Node 20 warns on stderr about more than ten.
    setMaxListeners(0, end)
    const queue = createWorkQueue(atOnce, Number.POSITIVE_INFINITY)
    const answers: Array<Distribution> = []
    let first: Problem | undefined
    let input: number | null = null
    let output: number | null = null

    const askInTurn: Ask = (question) => async () =>
      pipe(
        // The prompt is built only when its turn comes, to save memory.
        await queue.run(end, () => ask(question, end)()),
        O.getOrElse((): E.Either<Problem, TokenCompletion> => E.left(cancelled)),
        E.map((completion) => {
          input = addCounts(input, completion.input)
          output = addCounts(output, completion.output)
          return completion.candidates
        }),
      )

    const rest = questions.entries()
    // A question is prepared only when its turn has come: there can be tens of thousands.
    const askRest = async (): Promise<void> => {
      for (const [place, [id, question]] of rest) {
        const answer = await readAnswer(question, options, maxOptions, askInTurn)()
        if (E.isRight(answer)) answers[place] = answer.right
        else if (first === undefined) {
          first = nameQuestion(id, answer.left)
          failed.abort()
        }
        if (first !== undefined) return
      }
    }
    await Promise.all(Array.from({ length: atOnce }, askRest))
    return first === undefined
      ? E.right({ answers, usage: { input_tokens: input, output_tokens: output } })
      : E.left(first)
  }

/** Adds a count of tokens to a sum. Null means that the model reports none, and changes nothing. */
const addCounts = (sum: number | null, more: number | null): number | null =>
  more === null ? sum : (sum ?? 0) + more

/** Asks for the likeliest next tokens after a prompt. */
type Ask = (question: string) => TE.TaskEither<Problem, ReadonlyArray<Candidate>>

/** Answers one question, in as many prompts as its options and their orders take. */
const readAnswer = (
  question: EngineQuestion,
  { permutations, temperature }: ReadoutOptions,
  maxOptions: number,
  ask: Ask,
): TE.TaskEither<Problem, Distribution> => {
  const texts = optionTexts(question)
  const askInOrder = (order: ReadonlyArray<number>) =>
    pipe(
      ask(
        promptQuestion(
          question,
          order.map((option) => texts[option] ?? ''),
        ),
      ),
      TE.chainEitherK((candidates) => readDistribution(candidates, order.length, temperature)),
    )
  const askAmong = (options: ReadonlyArray<number>) =>
    pipe(rotate(options, permutations), TE.traverseArray(askInOrder), TE.map(unrotate))
  return pipe(
    askInRounds([...texts.keys()], maxOptions, askAmong),
    TE.map(
      (all): Distribution =>
        question.type === 'noul'
          ? { type: 'noul', yes: all[0] ?? 0.5 }
          : { type: question.type, probabilities: all },
    ),
  )
}

/** Puts a question's id before a problem's message. The cause, which is logged, stays without the id. */
const nameQuestion = (id: string, problem: Problem): Problem => ({
  ...problem,
  message: `question ${JSON.stringify(abbreviate(id))}: ${problem.message}`,
  cause: problem.cause ?? problem.message,
})
