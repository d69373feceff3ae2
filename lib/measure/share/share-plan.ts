import type { Draft } from '../../codec/json/draft'
import { alignTable } from '../../text/table'
import { plainLayout, type TextLayout } from '../../text/terminal'
import { roundNumbers } from '../format-figures'
import { z95 } from '../statistics/intervals'
import { measureResidualVariance } from '../statistics/share'
import type { CollectedQuestion, CollectedRun } from './collect-shares'
import { collectShareData, listLabels, resolveSamplingProbabilities } from './shares'

/**
 * The minimum numbers of rows to label, to know the share of one label (the part of all rows that has it). They depend on the quality
 * of the answers.
 */
interface RowsToLabel {
  /** If the answers are useless, and only the labels count. */
  readonly ifUseless: number
  /** If the answers are calibrated: of those with the probability 0.8, 80 % are right. */
  readonly ifCalibrated: number
  /** If the answers are as good as those to the rows that have labels; `undefined` without labels. */
  readonly asMeasured: number | undefined
}

/** The plan for one question. */
interface QuestionPlan {
  /** The number of rows with an answer to the question. */
  readonly rowCount: number
  readonly labels: ReadonlyMap<string, RowsToLabel>
}

/** The plans by question id. */
type SharePlan = ReadonlyMap<string, QuestionPlan>

/**
 * Plans how many rows to label for shares that are off by at most `within`, such as 0.03: their 95 % intervals reach at most
 * this distance to each side.
 */
export const planShares = ({ questions }: CollectedRun, within: number): SharePlan => {
  const plan = new Map<string, QuestionPlan>()
  for (const [id, question] of questions) {
    const labels = new Map<string, RowsToLabel>()
    for (const label of listLabels(question)) labels.set(label, planLabel(question, label, within))
    plan.set(id, { rowCount: question.answerCounts.answeredCount, labels })
  }
  return plan
}

const planLabel = (question: CollectedQuestion, label: string, within: number): RowsToLabel => {
  const rowCount = question.answerCounts.answeredCount
  const samplingProbabilities = resolveSamplingProbabilities(question)
  const { answers, labelled } = collectShareData(question, label, samplingProbabilities)
  const share = computeMean(answers)
  const varianceIfUseless = share * (1 - share)
  const varianceIfCalibrated = computeMean(answers.map((p) => p * (1 - p)))
  const measuredVariance = measureResidualVariance(labelled)
  const findRows = (variance: number): number => findRowsToLabel(variance, rowCount, within)
  return {
    ifUseless: findRows(varianceIfUseless),
    ifCalibrated: findRows(varianceIfCalibrated),
    asMeasured: measuredVariance === undefined ? undefined : findRows(measuredVariance),
  }
}

const computeMean = (values: ReadonlyArray<number>): number =>
  values.reduce((total, value) => total + value, 0) / values.length

/**
 * Finds the minimum number n of labelled rows, out of `rowCount` N, with which half the width of the interval is at most `within`.
 * Half the width is 1.96·√((1 − n/N)(n·s² + 1))/(n + 4), with the `variance` s² of labels around their estimates. As in Agresti
 * and Coull's interval, 4 rows are added to the labelled ones. Each has the variance 0.25, which adds 1. The sum of the n + 4 rows
 * then has the variance n·s² + 1, and their mean is the sum divided by n + 4.
 */
const findRowsToLabel = (variance: number, rowCount: number, within: number): number => {
  for (let n = 1; n < rowCount; n++) {
    const halfWidth = (z95 * Math.sqrt((1 - n / rowCount) * (n * variance + 1))) / (n + 4)
    if (halfWidth <= within) return n
  }
  return rowCount
}

/**
 * Encodes the document of `svc share --plan`. `alone` is the number for useless answers, with which only the labels give the share.
 * `at_best` is the number for calibrated answers.
 */
export const encodeSharePlan = (plan: SharePlan, within: number): Draft =>
  roundNumbers({
    within,
    questions: new Map(
      [...plan].map(([id, { rowCount, labels }]) => [
        id,
        {
          rows: rowCount,
          labels: new Map(
            [...labels].map(([label, { ifUseless, ifCalibrated, asMeasured }]) => [
              label,
              { alone: ifUseless, at_best: ifCalibrated, measured: asMeasured },
            ]),
          ),
        },
      ]),
    ),
  })

/** Formats the plan as a table for people. Only the first line of a question has its id. */
export const tabulateSharePlan = (
  plan: SharePlan,
  within: number,
  layout: TextLayout = plainLayout,
): string => {
  const points = Number((within * 100).toPrecision(3))
  const lines = [...plan].flatMap(([id, { labels }]) =>
    [...labels].map(([label, { ifUseless, ifCalibrated, asMeasured }], i) => [
      i === 0 ? id : '',
      label,
      ...[ifUseless, asMeasured ?? '–', ifCalibrated].map(String),
    ]),
  )
  const columns = ['useless answers', 'as the labels show', 'calibrated answers']
  const textColumnCount = 2
  const table = alignTable(textColumnCount, ['question', 'label', ...columns], lines, {
    ...layout,
    decisive: 'as the labels show',
    droppable: ['useless answers', 'calibrated answers'],
  })
  return `Rows to label, so that a share is off by at most ${points} points:\n${table}`
}
