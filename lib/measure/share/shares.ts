import { estimateShare, findRange, type ShareData, type ShareEstimate } from '../statistics/share'
import type { CollectedQuestion, CollectedRow, CollectedRun } from './collect-shares'

/** The shares of one question. The share of a label is the part of all answered rows that has this label. */
export interface QuestionShares {
  readonly type: CollectedQuestion['type']
  /** The number of rows with an answer to the question. Shares are shares of these rows. */
  readonly rowCount: number
  /** The number of rows of the run without an answer to the question. */
  readonly unansweredCount: number
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

/** The labelled rows, each with the probability that it was drawn and labelled. */
type SamplingProbabilities = ReadonlyMap<CollectedRow, number>

const estimateQuestion = (question: CollectedQuestion, run: CollectedRun): QuestionShares => {
  const { type, rows, lacksProbabilities } = question
  const samplingProbabilities = resolveSamplingProbabilities(rows)
  const counts = {
    type,
    rowCount: rows.length,
    unansweredCount: run.rowCount - rows.length,
    labelledCount: samplingProbabilities.size,
  }
  const noSharesReason = explainNoShares(rows, samplingProbabilities, run.hasGroups)
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
  samplingProbabilities: SamplingProbabilities,
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
export const listLabels = ({ type, rows, columns }: CollectedQuestion): ReadonlySet<string> => {
  const labels = new Set(columns.keys())
  if (type === 'noul') return labels
  for (const { label } of rows) if (label !== undefined) labels.add(label)
  return labels
}

/** Collects the answers and the labelled rows for the share of one label. */
export const collectShareData = (
  { rows, columns }: CollectedQuestion,
  label: string,
  samplingProbabilities: SamplingProbabilities,
): Pick<ShareData, 'answers' | 'labelled'> => {
  // No answer lists a label that only people gave, so every answer gives it the probability 0.
  const column = columns.get(label)
  const probabilityOf = ({ probabilities }: CollectedRow): number =>
    column === undefined ? 0 : (probabilities[column] ?? 0)
  return {
    answers: rows.map(probabilityOf),
    labelled: [...samplingProbabilities].map(([row, samplingProbability]) => ({
      answer: probabilityOf(row),
      truth: row.label === label ? 1 : 0,
      samplingProbability,
    })),
  }
}

/** Estimates the mean level of a question of type `score`. Its rows all have a score, and its labels are levels. */
const estimateMean = (
  { rows, columns }: CollectedQuestion,
  samplingProbabilities: SamplingProbabilities,
): ShareEstimate => {
  const labelled = [...samplingProbabilities].map(([row, samplingProbability]) => ({
    answer: row.score as number,
    truth: Number(row.label),
    samplingProbability,
  }))
  const levels = [...columns.keys()].map(Number)
  const [, highestLevel] = findRange([0, ...levels, ...labelled.map(({ truth }) => truth)])
  return estimateShare({
    answers: rows.map(({ score }) => score as number),
    labelled,
    range: [0, highestLevel],
  })
}

/**
 * Returns the sampling probability of each labelled row. For a row that `svc sample` drew, it is the draw probability × labelled ÷
 * drawn, counted over the rows with the same draw probability. A labelled row that was not drawn has the probability 1. But if no
 * labelled row was drawn, the labelled rows are taken for a random sample of all rows.
 */
export const resolveSamplingProbabilities = (
  rows: ReadonlyArray<CollectedRow>,
): SamplingProbabilities => {
  const labelled = rows.filter(({ label }) => label !== undefined)
  const countsByProbability = countByDrawProbability(rows)
  const hasDrawnRows = labelled.some(({ drawProbability }) => drawProbability !== undefined)
  const probabilityWithoutDraw = hasDrawnRows ? 1 : labelled.length / rows.length
  const samplingProbabilities = new Map<CollectedRow, number>()
  for (const row of labelled) {
    const { drawProbability } = row
    const counts =
      drawProbability === undefined ? undefined : countsByProbability.get(drawProbability)
    if (drawProbability === undefined || counts === undefined)
      samplingProbabilities.set(row, probabilityWithoutDraw)
    else samplingProbabilities.set(row, (drawProbability * counts.labelled) / counts.drawn)
  }
  return samplingProbabilities
}

/** Counts the drawn rows, and the labelled ones among them, by their draw probability. */
const countByDrawProbability = (rows: ReadonlyArray<CollectedRow>) => {
  const countsByProbability = new Map<number, { drawn: number; labelled: number }>()
  for (const { drawProbability, label } of rows) {
    if (drawProbability === undefined) continue
    const counts = countsByProbability.get(drawProbability) ?? { drawn: 0, labelled: 0 }
    counts.drawn++
    if (label !== undefined) counts.labelled++
    countsByProbability.set(drawProbability, counts)
  }
  return countsByProbability
}

/** Explains why shares cannot be estimated; `undefined` if they can. */
const explainNoShares = (
  rows: ReadonlyArray<CollectedRow>,
  samplingProbabilities: SamplingProbabilities,
  hasGroups: boolean,
): string | undefined => {
  const labelled = [...samplingProbabilities.keys()]
  if (labelled.length === 0) return 'no labelled rows'
  if (labelled.length === rows.length) return undefined
  if (hasGroups && labelled.every(({ drawProbability }) => drawProbability === undefined))
    return 'labels without p in a run with groups: nobody knows how they were drawn'
  // Rows that were labelled with certainty say nothing about the rows without labels.
  const areAllCertain = [...samplingProbabilities.values()].every((p) => p === 1)
  return areAllCertain ? 'no row was drawn by chance' : undefined
}
