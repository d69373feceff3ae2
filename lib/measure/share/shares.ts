import { estimateShare, findRange, type ShareData, type ShareEstimate } from '../statistics/share'
import type { ShareQuestion, ShareRow, ShareRun } from './share-rows'

/** The shares of one question. */
export interface QuestionShares {
  readonly type: ShareQuestion['type']
  /** The number of rows with an answer to the question. Shares are shares of these rows. */
  readonly rows: number
  /** The number of other rows of the run. */
  readonly unanswered: number
  readonly labelled: number
  /** The share of each label; null if shares cannot be estimated. */
  readonly shares: ReadonlyMap<string, ShareEstimate> | null
  /** The mean level of a score; absent for other types. */
  readonly mean?: ShareEstimate
  /** The reason why `shares` is null. */
  readonly noSharesReason?: string
}

/** The shares of all questions of a run. */
export interface RunShares {
  readonly rows: number
  readonly answered: number
  readonly labelled: number
  readonly questions: ReadonlyMap<string, QuestionShares>
}

/** Estimates the share of each label among all rows of a run, from the answers to all rows and the labels of some. */
export const estimateShares = (run: ShareRun): RunShares => ({
  rows: run.rows,
  answered: run.answered,
  labelled: run.labelled,
  questions: new Map(
    [...run.questions].map(([id, question]) => [id, estimateQuestion(question, run)]),
  ),
})

const estimateQuestion = (question: ShareQuestion, run: ShareRun): QuestionShares => {
  const { type, rows, lacksProbabilities } = question
  const labelled = rows.filter(({ label }) => label !== undefined)
  const counts = {
    type,
    rows: rows.length,
    unanswered: run.rows - rows.length,
    labelled: labelled.length,
  }
  const chances = resolveChances(rows)
  const noSharesReason = explainNoShares(rows, labelled, chances, run.hasGroups)
  if (noSharesReason !== undefined) return { ...counts, shares: null, noSharesReason }
  if (type === 'score') {
    const mean = estimateMean(question, chances)
    return lacksProbabilities
      ? { ...counts, shares: null, mean, noSharesReason: 'some answers have no probabilities' }
      : { ...counts, shares: estimateLabels(question, chances), mean }
  }
  return { ...counts, shares: estimateLabels(question, chances) }
}

/** Estimates the share of each label of a question. */
const estimateLabels = (
  question: ShareQuestion,
  chances: LabelChances,
): ReadonlyMap<string, ShareEstimate> => {
  const shares = new Map<string, ShareEstimate>()
  for (const label of listLabels(question)) {
    const data = collectLabel(question, label, chances)
    shares.set(label, estimateShare({ ...data, range: [0, 1] }))
  }
  return shares
}

/**
 * Lists the labels of a question: first those that answers list, then those that only people gave. A noul (a yes/no question) has
 * only `yes`.
 */
export const listLabels = ({ type, rows, columns }: ShareQuestion): ReadonlySet<string> => {
  const labels = new Set(columns.keys())
  if (type === 'noul') return labels
  for (const { label } of rows) if (label !== undefined) labels.add(label)
  return labels
}

/** Collects the answers and the labelled rows for the share of one label. */
export const collectLabel = (
  { rows, columns }: ShareQuestion,
  label: string,
  chances: LabelChances,
): Pick<ShareData, 'answers' | 'labelled'> => {
  // No answer lists a label that only people gave. At index −1 the list of probabilities has no value, so the answer is 0.
  const column = columns.get(label) ?? -1
  const probabilityOf = (row: ShareRow): number => row.probabilities[column] ?? 0
  return {
    answers: rows.map(probabilityOf),
    labelled: [...chances].map(([row, chance]) => ({
      answer: probabilityOf(row),
      truth: row.label === label ? 1 : 0,
      samplingProbability: chance,
    })),
  }
}

/** Estimates the mean level of a score. */
const estimateMean = ({ rows, columns }: ShareQuestion, chances: LabelChances): ShareEstimate => {
  const labelled = [...chances].map(([row, chance]) => ({
    answer: row.score as number,
    truth: Number(row.label),
    samplingProbability: chance,
  }))
  const levels = [...columns.keys()].map(Number)
  const [, highestLevel] = findRange([0, ...levels, ...labelled.map(({ truth }) => truth)])
  return estimateShare({
    answers: rows.map(({ score }) => score as number),
    labelled,
    range: [0, highestLevel],
  })
}

/** The labelled rows, each with the chance that it was drawn and labelled. */
export type LabelChances = ReadonlyMap<ShareRow, number>

/**
 * Finds the chance that each labelled row was drawn and labelled. For a drawn row, the chance of the draw is multiplied by the
 * share of the rows with this chance that were labelled. If no labelled row was drawn, the labelled rows are taken for a random
 * sample. Otherwise, a labelled row that was not drawn has the chance 1.
 */
export const resolveChances = (rows: ReadonlyArray<ShareRow>): LabelChances => {
  const labelled = rows.filter(({ label }) => label !== undefined)
  const countsByChance = countByDrawChance(rows)
  const hasDrawnRows = labelled.some(({ drawChance }) => drawChance !== undefined)
  const chanceWithoutDraw = hasDrawnRows ? 1 : labelled.length / rows.length
  const chances = new Map<ShareRow, number>()
  for (const row of labelled) {
    const { drawChance } = row
    const counts = drawChance === undefined ? undefined : countsByChance.get(drawChance)
    if (drawChance === undefined || counts === undefined) chances.set(row, chanceWithoutDraw)
    else chances.set(row, (drawChance * counts.labelled) / counts.rows)
  }
  return chances
}

/** Counts the drawn rows, and the labelled ones among them, by the chance of the draw. */
const countByDrawChance = (rows: ReadonlyArray<ShareRow>) => {
  const countsByChance = new Map<number, { rows: number; labelled: number }>()
  for (const { drawChance, label } of rows) {
    if (drawChance === undefined) continue
    const counts = countsByChance.get(drawChance) ?? { rows: 0, labelled: 0 }
    counts.rows++
    if (label !== undefined) counts.labelled++
    countsByChance.set(drawChance, counts)
  }
  return countsByChance
}

/** Explains why shares cannot be estimated; `undefined` if they can. */
const explainNoShares = (
  rows: ReadonlyArray<ShareRow>,
  labelled: ReadonlyArray<ShareRow>,
  chances: LabelChances,
  hasGroups: boolean,
): string | undefined => {
  if (labelled.length === 0) return 'no labelled rows'
  if (labelled.length === rows.length) return undefined
  if (hasGroups && labelled.every(({ drawChance }) => drawChance === undefined))
    return 'labels without p in a run with groups: nobody knows how they were drawn'
  const isEveryChanceOne = [...chances.values()].every((chance) => chance === 1)
  return isEveryChanceOne ? 'no row was drawn by chance' : undefined
}
