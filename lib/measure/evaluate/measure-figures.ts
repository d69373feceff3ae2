import { createRandom } from '../../runtime/random'
import type { Evidence } from '../rows/evidence'
import type { LabelledRows } from '../rows/labelled-run'
import { bootstrapIntervals, type Figures } from '../statistics/bootstrap'
import { calibrationCurve, computeEce, simulatePerfectEce } from '../statistics/calibration'
import { type Interval, wilsonInterval } from '../statistics/intervals'
import { findLargest, type Numbers, sum } from '../statistics/numbers'
import { type Draws, figureNames, listNames, type QuestionFigures } from './figures'

/** The labelled rows of a question, their evidence, and the bootstrap draws for intervals. */
export interface QuestionContext {
  readonly rows: LabelledRows
  readonly evidence: Evidence
  readonly draws: Draws
}

/** Figures by name with their intervals, and the reasons for missing figures and intervals. */
type MeasuredFigures = Pick<QuestionFigures, 'figures' | 'intervals' | 'reasons'>

/** Figures of a ranking. Their bootstrap intervals are not valid if rows have different weights. */
const rankFigures: ReadonlySet<string> = new Set(['roc_auc', 'average_precision'])

/** Figures whose bootstrap intervals are not valid if a label is rare. */
const labelFigures: ReadonlySet<string> = new Set([
  'roc_auc',
  'average_precision',
  'balanced_accuracy',
  'macro_f1',
  'quadratic_kappa',
])

/** `labelFigures` have intervals only if each label that occurs has at least this many rows. */
const minRowsPerLabel = 10

/** Explains that a label occurs, but too rarely; `undefined` if no label does. */
const explainRareLabel = ({ truth, labels }: LabelledRows): string | undefined => {
  const counts = new Uint32Array(labels.length)
  for (let i = 0; i < truth.length; i++) {
    const label = truth[i] as number
    counts[label] = (counts[label] as number) + 1
  }
  const rareLabel = counts.findIndex((count) => count > 0 && count < minRowsPerLabel)
  return rareLabel < 0
    ? undefined
    : `an interval takes ${minRowsPerLabel} rows of each label, and "${labels[rareLabel]}" has ${counts[rareLabel]}`
}

/**
 * Computes figures with their intervals, and explains missing intervals. The figures in `shares` are shares of rows, with Wilson
 * intervals. `measureOthers` computes the other figures for given weights. They have bootstrap intervals.
 */
export const measureFigures = (
  context: QuestionContext,
  shares: Readonly<Record<string, number>>,
  measureOthers: (weights: Numbers) => Figures,
): MeasuredFigures => {
  const { rows, evidence } = context
  const bootstrapped = computeBootstrapIntervals(context, measureOthers)
  const figures = { ...shares, ...measureOthers(rows.weights) }
  const intervals: Record<string, Interval> = {}
  const reasons: Record<string, string> = {}
  for (const [name, value] of Object.entries(figures)) {
    // The reason why a figure is null depends on the question type. The caller adds it.
    if (value === null) continue
    const isShare = name in shares
    const reason = isShare ? evidence.noWilsonReason : bootstrapped.explainMissing(name)
    if (reason !== undefined) reasons[name] = reason
    else if (isShare) intervals[name] = wilsonInterval(Math.min(1, value), evidence.effectiveRows)
    else intervals[name] = bootstrapped.intervals[name] as Interval
  }
  return { figures, intervals, reasons }
}

/** Computes the bootstrap intervals of figures. `explainMissing` returns the reason why a figure has none, or `undefined`. */
const computeBootstrapIntervals = (
  { rows, evidence, draws: { draws, seed } }: QuestionContext,
  measure: (weights: Numbers) => Figures,
) => {
  const { noBootstrapReason, isWeighted } = evidence
  const { weights, units } = rows
  const plan = { weights, units, draws, random: createRandom(seed) }
  const intervals = noBootstrapReason === undefined ? bootstrapIntervals(measure, plan) : {}
  const rareLabelReason = explainRareLabel(rows)
  const explainMissing = (name: string): string | undefined => {
    if (noBootstrapReason !== undefined) return noBootstrapReason
    if (isWeighted && rankFigures.has(name)) return 'an interval takes rows of equal weight'
    if (rareLabelReason !== undefined && labelFigures.has(name)) return rareLabelReason
    return name in intervals ? undefined : 'its draws do not vary'
  }
  return { intervals, explainMissing }
}

/** Adds the members that all question types have. The lists are null. */
const completeFigures = (
  { rows, evidence }: QuestionContext,
  measured: MeasuredFigures,
): QuestionFigures => ({
  type: rows.type,
  labelledRows: rows.truth.length,
  evidence,
  refusalCount: rows.refusalCount,
  ...measured,
  baseline: measureBaseline(rows),
  eceLimit: null,
  calibrationCurve: null,
  sweep: null,
  perClass: null,
  confusionMatrix: null,
  riskCoverage: null,
})

/** The predictions of a question's answers, for its calibration. */
interface Predictions {
  /** P(yes) of a yes/no question (`noul`); the probability of the decision for other types. */
  readonly probabilities: Numbers
  /** 1 for each row whose label is yes; for other types, 1 for each row whose decision is right. Else 0. */
  readonly hits: Numbers
}

/**
 * Adds the calibration curve, the calibration error, and the error that perfectly calibrated probabilities would show by chance.
 * The other lists are null.
 */
export const addCalibration = (
  context: QuestionContext,
  measured: MeasuredFigures,
  { probabilities, hits }: Predictions,
): QuestionFigures => {
  const { evidence } = context
  const { weights } = context.rows
  const { draws, seed } = context.draws
  const simulatedEce = simulatePerfectEce(probabilities, weights, draws, createRandom(seed))
  const figures = {
    ...measured.figures,
    ece: computeEce(probabilities, hits, weights),
    ece_expected: simulatedEce.mean,
  }
  const designEffect = evidence.noWilsonReason === undefined ? evidence.designEffect : undefined
  return {
    ...completeFigures(context, { ...measured, figures }),
    calibrationCurve: calibrationCurve(probabilities, hits, weights, designEffect),
    eceLimit: simulatedEce.quantile95,
  }
}

/** Completes the figures of a question. Figures that are not measured are null, as are all lists, and `cause` is their reason. */
export const completeWithNulls = (
  context: QuestionContext,
  { figures, intervals, reasons }: MeasuredFigures,
  cause: string,
): QuestionFigures => {
  const { type } = context.rows
  const names = figureNames[type]
  const missing = [...names.filter((name) => !(name in figures)), ...listNames[type]]
  return completeFigures(context, {
    figures: Object.fromEntries(names.map((name) => [name, figures[name] ?? null])),
    intervals,
    reasons: { ...reasons, ...Object.fromEntries(missing.map((name) => [name, cause])) },
  })
}

/** Finds the most common label (the first of equally common ones), and the accuracy of always giving it as the answer. */
const measureBaseline = ({ truth, labels, weights }: LabelledRows): QuestionFigures['baseline'] => {
  if (truth.length === 0) return { label: null, accuracy: null }
  const weightOfLabel = new Float64Array(labels.length)
  for (let i = 0; i < truth.length; i++) {
    const label = truth[i] as number
    weightOfLabel[label] = (weightOfLabel[label] as number) + (weights[i] as number)
  }
  const largestWeight = findLargest(weightOfLabel)
  return {
    label: labels[weightOfLabel.indexOf(largestWeight)] as string,
    accuracy: largestWeight / sum(weights),
  }
}
