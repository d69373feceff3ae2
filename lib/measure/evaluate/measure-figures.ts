import { createRandom } from '../../runtime/random'
import type { Evidence } from '../rows/evidence'
import type { LabelledRows } from '../rows/labelled-run'
import { bootstrapIntervals, type Figures } from '../statistics/bootstrap'
import { calibrationCurve, computeEce, simulatePerfectEce } from '../statistics/calibration'
import { type Interval, wilsonInterval } from '../statistics/intervals'
import { findLargest, type Numbers, sum } from '../statistics/numbers'
import { type Draws, figureNames, listNames, type QuestionFigures } from './figures'

/** Figures by name with their intervals, and the reasons for missing ones. */
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

const explainRareLabel = ({ truth, labels }: LabelledRows): string | undefined => {
  const counts = new Uint32Array(labels.length)
  for (let i = 0; i < truth.length; i++) {
    const label = truth[i] as number
    counts[label] = (counts[label] as number) + 1
  }
  const rare = counts.findIndex((count) => count > 0 && count < minRowsPerLabel)
  return rare < 0
    ? undefined
    : `an interval takes ${minRowsPerLabel} rows of each label, and "${labels[rare]}" has ${counts[rare]}`
}

/**
 * Computes figures with their intervals, and explains missing intervals. The figures in `shares` are shares of rows, with Wilson
 * intervals. `measureOthers` computes the other figures for given weights. They have bootstrap intervals.
 */
export const measureFigures = (
  rows: LabelledRows,
  evidence: Evidence,
  draws: Draws,
  shares: Readonly<Record<string, number>>,
  measureOthers: (weights: Numbers) => Figures,
): MeasuredFigures => {
  const drawn = drawIntervals(rows, evidence, draws, measureOthers)
  const figures = { ...shares, ...measureOthers(rows.weights) }
  const intervals: Record<string, Interval> = {}
  const reasons: Record<string, string> = {}
  for (const [name, value] of Object.entries(figures)) {
    if (value === null) continue
    const isShare = name in shares
    const reason = isShare ? evidence.noWilsonReason : drawn.explainMissing(name)
    if (reason !== undefined) reasons[name] = reason
    else if (isShare) intervals[name] = wilsonInterval(Math.min(1, value), evidence.effectiveRows)
    else intervals[name] = drawn.intervals[name] as Interval
  }
  return { figures, intervals, reasons }
}

/** Computes the bootstrap intervals of figures, and explains missing ones. */
const drawIntervals = (
  rows: LabelledRows,
  { noBootstrapReason, isWeighted }: Evidence,
  { draws, seed }: Draws,
  measure: (weights: Numbers) => Figures,
) => {
  const { weights, units } = rows
  const plan = { weights, units, draws, random: createRandom(seed) }
  const intervals = noBootstrapReason === undefined ? bootstrapIntervals(measure, plan) : {}
  const rareLabel = explainRareLabel(rows)
  const explainMissing = (name: string): string | undefined => {
    if (noBootstrapReason !== undefined) return noBootstrapReason
    if (isWeighted && rankFigures.has(name)) return 'an interval takes rows of equal weight'
    if (rareLabel !== undefined && labelFigures.has(name)) return rareLabel
    return name in intervals ? undefined : 'its draws do not vary'
  }
  return { intervals, explainMissing }
}

/** Adds the members that all question types have. The lists are null. */
const completeFigures = (
  rows: LabelledRows,
  evidence: Evidence,
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

/**
 * Adds the calibration curve, the calibration error, and the error that perfectly calibrated probabilities would show by chance.
 * `p` are the probabilities of the decisions, and `hits` are 1 for right decisions, else 0. For a noul, they are P(yes), and 1 if
 * the label is yes. The other lists are null.
 */
export const addCalibration = (
  rows: LabelledRows,
  evidence: Evidence,
  measured: MeasuredFigures,
  p: Numbers,
  hits: Numbers,
  { draws, seed }: Draws,
): QuestionFigures => {
  const { weights } = rows
  const simulatedEce = simulatePerfectEce(p, weights, draws, createRandom(seed))
  const figures = {
    ...measured.figures,
    ece: computeEce(p, hits, weights),
    ece_expected: simulatedEce.mean,
  }
  const designEffect = evidence.noWilsonReason === undefined ? evidence.designEffect : undefined
  return {
    ...completeFigures(rows, evidence, { ...measured, figures }),
    calibrationCurve: calibrationCurve(p, hits, weights, designEffect),
    eceLimit: simulatedEce.quantile95,
  }
}

/** Completes the figures of a question. Those that `measured` does not have are null, and `why` gives `cause` as the reason. */
export const completeWithNulls = (
  rows: LabelledRows,
  evidence: Evidence,
  { figures, intervals, reasons }: MeasuredFigures,
  cause: string,
): QuestionFigures => {
  const names = figureNames[rows.type]
  const missing = [...names.filter((name) => !(name in figures)), ...listNames[rows.type]]
  return completeFigures(rows, evidence, {
    figures: Object.fromEntries(names.map((name) => [name, figures[name] ?? null])),
    intervals,
    reasons: { ...reasons, ...Object.fromEntries(missing.map((name) => [name, cause])) },
  })
}

/** Finds the most common label (the first of equally common ones), and the accuracy of always giving it as the answer. */
const measureBaseline = ({ truth, labels, weights }: LabelledRows): QuestionFigures['baseline'] => {
  if (truth.length === 0) return { label: null, accuracy: null }
  const weightOf = new Float64Array(labels.length)
  for (let i = 0; i < truth.length; i++) {
    const label = truth[i] as number
    weightOf[label] = (weightOf[label] as number) + (weights[i] as number)
  }
  const max = findLargest(weightOf)
  return { label: labels[weightOf.indexOf(max)] as string, accuracy: max / sum(weights) }
}
