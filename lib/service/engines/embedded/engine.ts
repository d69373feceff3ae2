import * as E from 'fp-ts/Either'
import type { Files } from '../../../runtime/runtime'
import type {
  AnsweringEngine,
  Distribution,
  EngineAnswer,
  EngineContext,
  EngineRequest,
} from '../../contract/engine'
import { maxTokensExceeded, type Problem } from '../../contract/problem'
import { createStateComparer, prepareText, type Similarity } from './compare-texts'
import {
  type ComparableQuestion,
  estimateWords,
  listContentTexts,
  readComparableQuestion,
  readContentWords,
} from './content-texts'
import { readPiecesInSteps } from './read-text'
import { loadVectorTable, tableName, type VectorTable } from './vector-table'
import { computeTrust, weighInstructions, weighOptions } from './weigh-options'

/** The maximum number of words of the state and all questions together. */
const maxWords = 32_768

const usage: EngineAnswer['usage'] = { input_tokens: null, output_tokens: null }

/**
 * Opens the engine that compares the meanings of words. It reads its table of vectors at the first question. All engines of a process
 * share the table. The same request always gets the same answer. The engine counts no tokens.
 */
export const openEmbeddedEngine = (files: Pick<Files, 'read'>): AnsweringEngine => ({
  kind: 'answering',
  name: 'embedded',
  takesOneRequest: true,
  model: {
    name: tableName,
    description: 'Compares the meanings of words, in process. Knows topics, but no logic.',
    release_date: '2026-11-28T00:00:00+00:00',
  },
  answer:
    (request, { compute }) =>
    async () => {
      const texts = E.flatten(await compute(() => readRequestTexts(request))())
      if (E.isLeft(texts)) return texts
      const table = await loadVectorTable(files)
      const answers = await runInTurns(answerInSteps(texts.right, table), compute)
      return E.isLeft(answers) ? answers : E.right({ answers: answers.right, usage })
    },
  close: async () => {},
})

/** The texts of a request. */
export interface RequestTexts {
  readonly state: ReadonlyArray<string>
  readonly questions: ReadonlyArray<ComparableQuestion>
}

/** Reads the texts of a request. Fails if they have more than `maxWords` words together. */
export const readRequestTexts = ({
  state,
  questions,
}: EngineRequest): E.Either<Problem, RequestTexts> => {
  const stateTexts = listContentTexts(state)
  const questionTexts = questions.map(([, question]) => readComparableQuestion(question))
  let wordCount = 0
  for (const text of stateTexts) wordCount += estimateWords(text)
  for (const { instructions, options } of questionTexts)
    for (const text of [instructions, ...options]) wordCount += estimateWords(text)
  if (wordCount > maxWords)
    return E.left(
      maxTokensExceeded(
        `the state and the questions are too long for the engine: ${wordCount} words, at most ${maxWords}`,
      ),
    )
  return E.right({ state: stateTexts, questions: questionTexts })
}

/** Work that yields the cost of each of its steps. A unit takes about a microsecond at most. */
type StepByStep<A> = Generator<number, A>

/** Reading a character costs a unit, and so does comparing this number of pairs of pieces. */
const pairsPerUnit = 4

/** The cost of an option besides reading and comparing it. */
const costPerOption = 5

/** Answers all questions. */
export const answerInSteps = function* (
  { state, questions }: RequestTexts,
  table: VectorTable,
): StepByStep<ReadonlyArray<Distribution>> {
  const stateText = prepareText(yield* readPiecesInSteps(state, table), table)
  const comparer = createStateComparer(stateText, table)
  const answers: Distribution[] = []
  for (const { type, instructions, options } of questions) {
    const isBare = options.length === 0
    const similarities: Similarity[] = []
    let hasPieces = false
    for (const text of isBare ? [readContentWords(instructions)] : options) {
      const option = prepareText(yield* readPiecesInSteps([text], table), table)
      similarities.push(comparer.compare(option))
      hasPieces ||= option.pieces.length > 0
      yield costPerOption + comparer.countPairs(option) / pairsPerUnit
    }
    const trust = hasPieces ? computeTrust(stateText.knownShare) : 0
    answers.push(
      isBare ? weighInstructions(similarities, trust) : weighOptions(type, similarities, trust),
    )
  }
  return answers
}

/** The maximum cost of the steps in one turn of the event loop. */
const maxCostPerTurn = 10_000

/** Runs steps on the event loop, with a turn of the loop after each `maxCostPerTurn`. Fails if the request is aborted. */
const runInTurns = async <A>(
  work: StepByStep<A>,
  compute: EngineContext['compute'],
): Promise<E.Either<Problem, A>> => {
  const runTurn = (): IteratorResult<number, A> => {
    for (let cost = 0; ; ) {
      const step = work.next()
      if (step.done) return step
      cost += step.value
      if (cost > maxCostPerTurn) return step
    }
  }
  for (;;) {
    const turn = await compute(runTurn)()
    if (E.isLeft(turn)) return turn
    if (turn.right.done) return E.right(turn.right.value)
  }
}
