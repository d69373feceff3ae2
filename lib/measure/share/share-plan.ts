import type { Draft } from '../../codec/json/draft'
import { alignTable } from '../../failure/text/table'
import { formatWholePercent, roundNumbers } from '../format-figures'
import { z95 } from '../statistics/intervals'
import { measureResidualVariance } from '../statistics/share'
import type { ShareQuestion, ShareRun } from './share-rows'
import { collectLabel, listLabels, resolveChances } from './shares'

/** The number of labels that bring a share to within a distance, by the quality of the answers. */
export interface LabelNeeds {
  /** If the answers are of no use. */
  readonly alone: number
  /** If the answers are calibrated. */
  readonly atBest: number
  /** By the labels that there are; `undefined` without labels. */
  readonly measured: number | undefined
}

/** The needs of each label of each question. */
export type SharePlan = ReadonlyMap<
  string,
  { readonly rows: number; readonly labels: ReadonlyMap<string, LabelNeeds> }
>

/** Plans the number of rows to label for shares that are known to within `within`, such as 0.03. */
export const planShares = ({ questions }: ShareRun, within: number): SharePlan =>
  new Map(
    [...questions].map(([id, question]) => [
      id,
      {
        rows: question.rows.length,
        labels: new Map(
          [...listLabels(question)].map((label) => [label, planLabel(question, label, within)]),
        ),
      },
    ]),
  )

const planLabel = (question: ShareQuestion, label: string, within: number): LabelNeeds => {
  const { rows } = question
  const { answers, labelled } = collectLabel(question, label, resolveChances(rows))
  const mean = averageOf(answers)
  const residual = measureResidualVariance(labelled)
  return {
    alone: findNeeded(mean * (1 - mean), rows.length, within),
    atBest: findNeeded(averageOf(answers.map((f) => f * (1 - f))), rows.length, within),
    measured: residual === undefined ? undefined : findNeeded(residual, rows.length, within),
  }
}

const averageOf = (values: ReadonlyArray<number>): number =>
  values.reduce((total, value) => total + value, 0) / values.length

/** Finds the smallest n of N rows with 1.96·√((1 − n/N)(n·s² + 1))/(n + 4) ≤ within. */
const findNeeded = (variance: number, rows: number, within: number): number => {
  for (let n = 1; n < rows; n++) {
    const half = (z95 * Math.sqrt((1 - n / rows) * (n * variance + 1))) / (n + 4)
    if (half <= within) return n
  }
  return rows
}

/** Writes the document of `svc share --plan`. */
export const encodeSharePlan = (plan: SharePlan, within: number): Draft =>
  roundNumbers({
    within,
    questions: new Map(
      [...plan].map(([id, { rows, labels }]) => [
        id,
        {
          rows,
          labels: new Map(
            [...labels].map(([label, { alone, atBest, measured }]) => [
              label,
              { alone, at_best: atBest, measured },
            ]),
          ),
        },
      ]),
    ),
  })

/** Writes the plan for people. */
export const tabulateSharePlan = (plan: SharePlan, within: number): string =>
  [
    `Labels for a share that is known to within ${formatWholePercent(within)}:`,
    alignTable(
      2,
      ['question', 'label', 'answers of no use', 'by today’s labels', 'calibrated answers'],
      [...plan].flatMap(([id, { labels }]) =>
        [...labels].map(([label, { alone, atBest, measured }], i) => [
          i === 0 ? id : '',
          label,
          String(alone),
          measured === undefined ? '–' : String(measured),
          String(atBest),
        ]),
      ),
    ),
  ].join('\n')
