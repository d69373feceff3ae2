import type { AnswerCounts } from '../rows/answer-counts'
import { estimateShare, findRange, type ShareData, type ShareEstimate } from '../statistics/share'
import type { CollectedQuestion, CollectedRun } from './collect-shares'

/** The shares of one question. The share of a label is the part of all answered rows that has this label. */
export interface QuestionShares {
  readonly type: CollectedQuestion['type']
  /** The number of rows with an answer to the question. Shares are shares of these rows. */
  readonly rowCount: number
  /** All rows of the run, by their outcome. */
  readonly answerCounts: AnswerCounts
  readonly labelledCount: number
  /** The share of each label; null if shares cannot be estimated. */
  readonly shares: ReadonlyMap<string, ShareEstimate> | null
  /** The mean level of a score; absent for other types. */
  readonly mean?: ShareEstimate
  /** Explains why shares cannot be estimated. */
  readonly noSharesReason?: string
}

/** The shares of all questions of a run. */
export interface RunShares {
  readonly rowCount: number
  readonly answeredCount: number
  readonly labelledCount: number
  readonly questions: ReadonlyMap<string, QuestionShares>
}

/** Estimates the share of each label among all rows of a run, from the answers to all rows and the labels of some. */
export const estimateShares = (run: CollectedRun): RunShares => ({
  rowCount: run.rowCount,
  answeredCount: run.answeredCount,
  labelledCount: run.labelledCount,
  questions: new Map(
    [...run.questions].map(([id, question]) => [id, estimateQuestion(question, run)]),
  ),
})

const estimateQuestion = (question: CollectedQuestion, run: CollectedRun): QuestionShares => {
  const { type, labelled, answerCounts, lacksProbabilities } = question
  const samplingProbabilities = resolveSamplingProbabilities(question)
  const counts = {
    type,
    answerCounts,
    rowCount: answerCounts.answeredCount,
    labelledCount: labelled.positions.length,
  }
  const noSharesReason = explainNoShares(question, samplingProbabilities, run.hasGroups)
  if (noSharesReason !== undefined) return { ...counts, shares: null, noSharesReason }
  if (type !== 'score')
    return { ...counts, shares: estimateLabelShares(question, samplingProbabilities) }
  const mean = estimateMean(question, samplingProbabilities)
  return lacksProbabilities
    ? { ...counts, shares: null, mean, noSharesReason: 'some answers have no probabilities' }
    : { ...counts, shares: estimateLabelShares(question, samplingProbabilities), mean }
}

/** Estimates the share of each label of a question. */
const estimateLabelShares = (
  question: CollectedQuestion,
  samplingProbabilities: ReadonlyArray<number>,
): ReadonlyMap<string, ShareEstimate> => {
  const shares = new Map<string, ShareEstimate>()
  for (const label of listLabels(question)) {
    const data = collectShareData(question, label, samplingProbabilities)
    shares.set(label, estimateShare({ ...data, range: [0, 1] }))
  }
  return shares
}

/**
 * Lists the labels of a question: first those that answers list, then those that only people gave. A noul (a yes/no question) has
 * only `yes`.
 */
export const listLabels = ({
  type,
  labelled,
  probabilities,
}: CollectedQuestion): ReadonlySet<string> => {
  const labels = new Set(probabilities.keys())
  if (type === 'noul') return labels
  for (const label of labelled.labels) labels.add(label)
  return labels
}

/**
 * Collects the answers and the labelled rows for the share of one label. `samplingProbabilities` are those of
 * `resolveSamplingProbabilities`.
 */
export const collectShareData = (
  { answerCounts, labelled, probabilities }: CollectedQuestion,
  label: string,
  samplingProbabilities: ReadonlyArray<number>,
): Pick<ShareData, 'answers' | 'labelled'> => {
  // No answer lists a label that only people gave, so every answer gives it the probability 0.
  const answers = probabilities.get(label) ?? new Array<number>(answerCounts.answeredCount).fill(0)
  const labelIndex = labelled.labels.indexOf(label)
  return {
    answers,
    labelled: sampleLabels(labelled, answers, samplingProbabilities, (index) =>
      index === labelIndex ? 1 : 0,
    ),
  }
}

/** Creates the labels with their answers one by one, each time they are iterated over: a list of a million takes much memory. */
const sampleLabels = (
  { positions, labelIndexes }: CollectedQuestion['labelled'],
  answers: ReadonlyArray<number>,
  samplingProbabilities: ReadonlyArray<number>,
  truthOf: (labelIndex: number) => number,
): ShareData['labelled'] => ({
  *[Symbol.iterator]() {
    for (const [i, position] of positions.entries())
      yield {
        answer: answers[position] as number,
        truth: truthOf(labelIndexes[i] as number),
        samplingProbability: samplingProbabilities[i] as number,
      }
  },
})

/** Estimates the mean level of a question of type `score`. Its answers all have a score, and its labels are levels. */
const estimateMean = (
  { scores, labelled, probabilities }: CollectedQuestion,
  samplingProbabilities: ReadonlyArray<number>,
): ShareEstimate => {
  const labelledLevels = labelled.labels.map(Number)
  const labelledScores = sampleLabels(
    labelled,
    scores,
    samplingProbabilities,
    (index) => labelledLevels[index] as number,
  )
  const levels = [...probabilities.keys()].map(Number)
  const [, highestLevel] = findRange([0, ...levels, ...labelledLevels])
  return estimateShare({ answers: scores, labelled: labelledScores, range: [0, highestLevel] })
}

/**
 * Returns the sampling probability of each labelled row. For a row that `svc sample` drew, it is the draw probability × labelled ÷
 * drawn, counted over the rows with the same draw probability. A labelled row that was not drawn has the probability 1. But if no
 * labelled row was drawn, the labelled rows are taken for a random sample of all rows.
 */
export const resolveSamplingProbabilities = ({
  answerCounts,
  labelled,
  drawnCounts,
}: CollectedQuestion): ReadonlyArray<number> => {
  const { drawProbabilities } = labelled
  const labelledCounts = new Map<number, number>()
  for (const drawProbability of drawProbabilities)
    labelledCounts.set(drawProbability, (labelledCounts.get(drawProbability) ?? 0) + 1)
  const undrawnCount = labelledCounts.get(0) ?? 0
  const labelledCount = drawProbabilities.length
  const hasDrawnRows = undrawnCount < labelledCount
  const probabilityWithoutDraw = hasDrawnRows ? 1 : labelledCount / answerCounts.answeredCount
  return drawProbabilities.map((drawProbability) => {
    if (drawProbability === 0) return probabilityWithoutDraw
    // A labelled row that was drawn is in both counts.
    const labelledOfDraw = labelledCounts.get(drawProbability) as number
    return (drawProbability * labelledOfDraw) / (drawnCounts.get(drawProbability) as number)
  })
}

/** Explains why shares cannot be estimated; `undefined` if they can. */
const explainNoShares = (
  { answerCounts, labelled }: CollectedQuestion,
  samplingProbabilities: ReadonlyArray<number>,
  hasGroups: boolean,
): string | undefined => {
  const { drawProbabilities } = labelled
  if (drawProbabilities.length === 0) return 'no labelled rows'
  if (drawProbabilities.length === answerCounts.answeredCount) return undefined
  if (hasGroups && drawProbabilities.every((drawProbability) => drawProbability === 0))
    return 'labels without p in a run with groups: nobody knows how they were drawn'
  // Rows that were labelled with certainty say nothing about the rows without labels.
  return samplingProbabilities.every((p) => p === 1) ? 'no row was drawn by chance' : undefined
}
