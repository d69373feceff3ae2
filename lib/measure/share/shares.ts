import { estimateShare, findRange, type LabelledRow, type ShareEstimate } from '../statistics/share'
import type { ShareQuestion, ShareRow, ShareRun } from './share-rows'

/** The shares of one question. */
export interface QuestionShares {
  readonly type: ShareQuestion['type']
  /** The rows with an answer to the question. The shares describe only these. */
  readonly rows: number
  readonly unanswered: number
  readonly labelled: number
  /** The share of each label. Null if it cannot be estimated; `why` gives the reason. */
  readonly shares: ReadonlyMap<string, ShareEstimate> | null
  /** The mean level; for a score only. */
  readonly mean?: ShareEstimate
  readonly why?: string
}

/** The shares of all questions of a run. */
export interface RunShares {
  readonly rows: number
  readonly answered: number
  readonly labelled: number
  readonly questions: ReadonlyMap<string, QuestionShares>
}

/** Estimates which share of all rows of a run each label has, from every answer and the labels of some rows. */
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
  const why = explainNull(rows, labelled, chances, run.hasGroups)
  if (why !== undefined) return { ...counts, shares: null, why }
  const mean = type === 'score' ? { mean: estimateMean(question, chances) } : {}
  if (type === 'score' && lacksProbabilities)
    return { ...counts, shares: null, ...mean, why: 'some answers have no probabilities' }
  const labels = [...listLabels(question)]
  const shares = labels.map((label) => [label, estimateLabel(question, label, chances)] as const)
  return { ...counts, shares: new Map(shares), ...mean }
}

/** The labels of a question: those of its answers, and those that only people gave. */
export const listLabels = ({ type, rows, labels }: ShareQuestion): ReadonlySet<string> =>
  type === 'noul'
    ? new Set(labels.keys())
    : new Set([
        ...labels.keys(),
        ...rows.flatMap(({ label }) => (label === undefined ? [] : [label])),
      ])

/** The answers and the labelled rows for the share of one label. */
export const collectLabel = (
  { rows, labels }: ShareQuestion,
  label: string,
  chances: Chances,
): { readonly answers: ReadonlyArray<number>; readonly labelled: ReadonlyArray<LabelledRow> } => {
  const place = labels.get(label) ?? -1
  const answerOf = (row: ShareRow): number => row.probabilities[place] ?? 0
  return {
    answers: rows.map(answerOf),
    labelled: [...chances].map(([row, chance]) => ({
      answer: answerOf(row),
      truth: row.label === label ? 1 : 0,
      chance,
    })),
  }
}

const estimateLabel = (question: ShareQuestion, label: string, chances: Chances): ShareEstimate =>
  estimateShare({ ...collectLabel(question, label, chances), range: [0, 1] })

const estimateMean = ({ rows, labels }: ShareQuestion, chances: Chances): ShareEstimate => {
  const labelled = [...chances].map(([row, chance]) => ({
    answer: row.score as number,
    truth: Number(row.label),
    chance,
  }))
  const levels = [...labels.keys()].map(Number)
  const [, highest] = findRange([0, ...levels, ...labelled.map(({ truth }) => truth)])
  return estimateShare({
    answers: rows.map(({ score }) => score as number),
    labelled,
    range: [0, highest],
  })
}

/** The labelled rows, each with the chance that it got its label. */
export type Chances = ReadonlyMap<ShareRow, number>

/**
 * Finds the chance of each labelled row. A drawn row has the chance of the draw, times the share of drawn rows of the
 * same chance that were labelled. If nothing was drawn, rows are assumed to be labelled at random. Otherwise a
 * labelled row outside the draw represents only itself.
 */
export const resolveChances = (rows: ReadonlyArray<ShareRow>): Chances => {
  const labelled = rows.filter(({ label }) => label !== undefined)
  const drawn = new Map<number, { rows: number; labelled: number }>()
  for (const { p, label } of rows) {
    if (p === undefined) continue
    const count = drawn.get(p) ?? { rows: 0, labelled: 0 }
    count.rows++
    if (label !== undefined) count.labelled++
    drawn.set(p, count)
  }
  const withoutDraw = labelled.some(({ p }) => p !== undefined) ? 1 : labelled.length / rows.length
  return new Map(
    labelled.map((row) => {
      const count = row.p === undefined ? undefined : drawn.get(row.p)
      return [row, count === undefined ? withoutDraw : ((row.p ?? 1) * count.labelled) / count.rows]
    }),
  )
}

const explainNull = (
  rows: ReadonlyArray<ShareRow>,
  labelled: ReadonlyArray<ShareRow>,
  chances: Chances,
  hasGroups: boolean,
): string | undefined => {
  if (labelled.length === 0) return 'no labelled rows'
  if (labelled.length === rows.length) return undefined
  if (hasGroups && labelled.every(({ p }) => p === undefined))
    return 'labels without p in a run with groups: nobody knows how they were drawn'
  return [...chances.values()].every((chance) => chance === 1)
    ? 'no row was drawn by chance'
    : undefined
}
