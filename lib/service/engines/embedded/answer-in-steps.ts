import * as E from 'fp-ts/Either'
import type { Distribution, EngineRequest } from '../../contract/engine'
import { maxTokensExceeded, type Problem } from '../../contract/problem'
import {
  createStateComparer,
  prepareText,
  type Similarity,
  type StateComparer,
} from './compare-texts'
import {
  type ComparableQuestion,
  estimateWords,
  listContentTexts,
  readComparableQuestion,
  readContentWords,
} from './content-texts'
import { hasNegator, readNegatedPiecesInSteps } from './negation'
import { readPiecesInSteps } from './read-text'
import type { StepByStep } from './run-in-turns'
import type { VectorTable } from './vector-table'
import { computeTrust, weighInstructions, weighOptions } from './weigh-options'

/** The maximum number of words of the state and all questions together. */
export const maxWords = 32_768

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

/** Reading a character costs a unit, and so does comparing this number of pairs of pieces. */
const pairsPerUnit = 4

/** The cost of an option besides reading and comparing it. */
const costPerOption = 5

/** A state that questions are compared with. */
interface ReadState {
  readonly comparer: StateComparer
  /** The trust in the state, as `computeTrust` defines it. */
  readonly trust: number
  /** The pieces that the state only negates. They are read only if a question needs them. */
  readonly negatedPieces: ReadonlySet<number>
}

/** Answers all questions. */
export const answerInSteps = function* (
  { state, questions }: RequestTexts,
  table: VectorTable,
): StepByStep<ReadonlyArray<Distribution>> {
  const stateText = prepareText(yield* readPiecesInSteps(state, table), table)
  const needsNegation = questions.some(isBareNoul)
  const readState: ReadState = {
    comparer: createStateComparer(stateText, table),
    trust: computeTrust(stateText.knownShare),
    negatedPieces: yield* readNegatedPiecesInSteps(needsNegation ? state : [], table),
  }
  const answers: Distribution[] = []
  for (const question of questions) {
    const answerQuestion = isBareNoul(question) ? answerBareNoul : answerByOptions
    answers.push(yield* answerQuestion(question, readState, table))
  }
  return answers
}

/** Returns `true` for a noul without criteria. */
const isBareNoul = ({ type, options }: ComparableQuestion): boolean =>
  type === 'noul' && options.length === 0

const answerBareNoul = function* (
  { instructions }: ComparableQuestion,
  { comparer, trust, negatedPieces }: ReadState,
  table: VectorTable,
): StepByStep<Distribution> {
  const contentWords = readContentWords(instructions)
  const text = prepareText(yield* readPiecesInSteps([contentWords], table), table)
  yield costPerOption + comparer.countPairs(text) / pairsPerUnit
  const isNegated =
    !hasNegator(instructions.slice(0, maxNegatorLength)) &&
    comparer.isClosestToAny(text, negatedPieces)
  const weight = text.pieces.length === 0 ? 0 : trust
  return weighInstructions(comparer.compare(text), weight, isNegated)
}

/** Negators of instructions are looked for in their first characters. */
const maxNegatorLength = 2_000

const answerByOptions = function* (
  { type, options }: ComparableQuestion,
  { comparer, trust }: ReadState,
  table: VectorTable,
): StepByStep<Distribution> {
  const similarities: Similarity[] = []
  let hasPieces = false
  for (const option of options) {
    const text = prepareText(yield* readPiecesInSteps([option], table), table)
    hasPieces ||= text.pieces.length > 0
    similarities.push(comparer.compare(text))
    yield costPerOption + comparer.countPairs(text) / pairsPerUnit
  }
  return weighOptions(type, similarities, hasPieces ? trust : 0)
}
