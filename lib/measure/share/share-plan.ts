import type { Draft } from '../../codec/json/draft'
import { alignTable } from '../../failure/text/table'
import { roundNumbers } from '../format-figures'
import { z95 } from '../statistics/intervals'
import { measureResidualVariance } from '../statistics/share'
import type { ShareQuestion, ShareRun } from './share-rows'
import { collectLabel, listLabels, resolveChances } from './shares'

/** The numbers of rows to label so that the 95 % interval of a share reaches at most a given distance to each side. */
export interface LabelNeeds {
  /** The number of rows if the answers are useless. */
  readonly alone: number
  /** The number of rows if the answers are calibrated. */
  readonly atBest: number
  /** The number of rows by the quality of the answers to the labelled rows; `undefined` without labels. */
  readonly measured: number | undefined
}

/** The needs of one question. */
interface QuestionPlan {
  readonly rows: number
  readonly labels: ReadonlyMap<string, LabelNeeds>
}

/** The needs by question id. */
export type SharePlan = ReadonlyMap<string, QuestionPlan>

/** Plans how many rows to label for shares that are off by at most `within`, such as 0.03. */
export const planShares = ({ questions }: ShareRun, within: number): SharePlan => {
  const plan = new Map<string, QuestionPlan>()
  for (const [id, question] of questions) {
    const labels = new Map<string, LabelNeeds>()
    for (const label of listLabels(question)) labels.set(label, planLabel(question, label, within))
    plan.set(id, { rows: question.rows.length, labels })
  }
  return plan
}

const planLabel = (question: ShareQuestion, label: string, within: number): LabelNeeds => {
  const { rows } = question
  const { answers, labelled } = collectLabel(question, label, resolveChances(rows))
  const share = computeMean(answers)
  const varianceIfCalibrated = computeMean(answers.map((p) => p * (1 - p)))
  const residualVariance = measureResidualVariance(labelled)
  return {
    alone: countNeededRows(share * (1 - share), rows.length, within),
    atBest: countNeededRows(varianceIfCalibrated, rows.length, within),
    measured:
      residualVariance === undefined
        ? undefined
        : countNeededRows(residualVariance, rows.length, within),
  }
}

const computeMean = (values: ReadonlyArray<number>): number =>
  values.reduce((total, value) => total + value, 0) / values.length

/**
 * Returns the minimum number n of `rows` N whose interval has half a width of at most `within`:
 * 1.96·√((1 − n/N)(n·s² + 1))/(n + 4), with the `variance` s² of labels around their estimates.
 */
const countNeededRows = (variance: number, rows: number, within: number): number => {
  for (let n = 1; n < rows; n++) {
    const halfWidth = (z95 * Math.sqrt((1 - n / rows) * (n * variance + 1))) / (n + 4)
    if (halfWidth <= within) return n
  }
  return rows
}

/** Encodes the document of `svc share --plan`. */
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

/** Formats the plan as a table for people. */
export const tabulateSharePlan = (plan: SharePlan, within: number): string =>
  [
    `Rows to label, so that a share is off by at most ${Number((within * 100).toPrecision(3))} points:`,
    alignTable(
      2,
      ['question', 'label', 'useless answers', 'as the labels show', 'calibrated answers'],
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
