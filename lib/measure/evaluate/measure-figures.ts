import { createRandom } from '../../runtime/random'
import type { Evidence } from '../rows/evidence'
import type { LabelledRows } from '../rows/labelled-run'
import { bootstrapIntervals, type Figures } from '../statistics/bootstrap'
import { calibrationCurve, computeEce, simulatePerfectEce } from '../statistics/calibration'
import { type Interval, wilsonInterval } from '../statistics/intervals'
import {
  computeEffectiveSize,
  findLargest,
  mapNumbers,
  type Numbers,
  sum,
  sumByIndex,
} from '../statistics/numbers'
import { type BootstrapSettings, figureNames, listNames, type QuestionFigures } from './figures'
import { measureAgreement } from './label-agreement'

/** The labelled rows of a question, their evidence, and the settings of the bootstrap for intervals. */
export interface QuestionContext {
  readonly rows: LabelledRows
  readonly evidence: Evidence
  readonly bootstrap: BootstrapSettings
}

/** Figures by name with their intervals, and the reasons for missing figures and intervals. */
type MeasuredFigures = Pick<QuestionFigures, 'figures' | 'intervals' | 'reasons'>

/** Figures of a ranking. Their bootstrap intervals are not valid if rows have different weights. */
const rankFigures: ReadonlySet<string> = new Set(['roc_auc', 'average_precision'])

/** Figures whose bootstrap intervals are not valid if a label is rare. */
const labelFigures: ReadonlySet<string> = new Set([
  ...rankFigures,
  'balanced_accuracy',
  'macro_f1',
  'quadratic_kappa',
])

/** `labelFigures` have intervals only if each label that occurs has at least this many rows. */
const minRowsPerLabel = 10

/** Explains that a label occurs, but too rarely; `undefined` if no label is so rare. */
const explainRareLabel = ({ truth, labels }: LabelledRows): string | undefined => {
  const counts = sumByIndex(truth, labels.length)
  const rareLabel = counts.findIndex((count) => count > 0 && count < minRowsPerLabel)
  return rareLabel < 0
    ? undefined
    : `an interval takes ${minRowsPerLabel} rows of each label, and "${labels[rareLabel]}" has ${counts[rareLabel]}`
}

/** Explains why the bootstrap interval of a figure is not valid; `undefined` if it is. */
const explainNoBootstrap = (
  figure: string,
  { noBootstrapReason, isWeighted }: Evidence,
  rareLabelReason: string | undefined,
): string | undefined => {
  if (noBootstrapReason !== undefined) return noBootstrapReason
  if (isWeighted && rankFigures.has(figure)) return 'an interval takes rows of equal weight'
  return labelFigures.has(figure) ? rareLabelReason : undefined
}

/** A share of rows; null if there are none. */
interface RowShare {
  readonly value: number | null
  /** The number of independent rows of equal weight that give as much evidence as the rows that it is a share of. */
  readonly effectiveRows: number
}

/** Creates the share of all rows. */
export const createShareOfAll = ({ evidence }: QuestionContext, value: number): RowShare => ({
  value,
  effectiveRows: evidence.effectiveRows,
})

/** Creates the share of a part of the rows: those at which `isInPart` returns true. */
export const createShareOfPart = (
  { rows, evidence }: QuestionContext,
  value: number | null,
  isInPart: (row: number) => boolean,
): RowShare => {
  const weights = mapNumbers(rows.weights, (weight, row) => (isInPart(row) ? weight : 0))
  return { value, effectiveRows: computeEffectiveSize(weights) / evidence.designEffect }
}

/**
 * Computes figures with their intervals, and explains missing intervals. The figures in `shares` are shares of rows, with Wilson
 * intervals. `measureOthers` computes the other figures for given weights. They have bootstrap intervals.
 */
export const measureFigures = (
  { rows, evidence, bootstrap }: QuestionContext,
  shares: Readonly<Record<string, RowShare>>,
  measureOthers: (weights: Numbers) => Figures,
): MeasuredFigures => {
  const { weights, units } = rows
  const random = createRandom(bootstrap.seed)
  const plan = { weights, units, draws: bootstrap.draws, random }
  const drawnIntervals =
    evidence.noBootstrapReason === undefined ? bootstrapIntervals(measureOthers, plan) : {}
  const rareLabelReason = explainRareLabel(rows)
  const shareValues = Object.entries(shares).map(([name, { value }]) => [name, value] as const)
  const figures: Figures = { ...Object.fromEntries(shareValues), ...measureOthers(weights) }
  const intervals: Record<string, Interval> = {}
  const reasons: Record<string, string> = {}
  for (const [name, value] of Object.entries(figures)) {
    // The reason why a figure is null depends on the question type. The caller adds it.
    if (value === null) continue
    const share = shares[name]
    const reason =
      share === undefined
        ? explainNoBootstrap(name, evidence, rareLabelReason)
        : evidence.noWilsonReason
    // Rounding errors of the sums can lift a share above 1.
    const interval =
      share === undefined
        ? drawnIntervals[name]
        : wilsonInterval(Math.min(1, value), share.effectiveRows)
    if (reason !== undefined) reasons[name] = reason
    else if (interval === undefined) reasons[name] = 'its draws do not vary'
    else intervals[name] = interval
  }
  return { figures, intervals, reasons }
}

/** Adds the members that all question types have. The lists are null. */
const completeFigures = (
  { rows, evidence }: QuestionContext,
  measured: MeasuredFigures,
): QuestionFigures => ({
  rows,
  type: rows.type,
  labelledRows: rows.truth.length,
  evidence,
  agreement: measureAgreement(rows),
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
 * Completes the figures of a question by the calibration curve, the calibration error, and the error that perfectly calibrated
 * probabilities would show by chance. The other lists are null. `probabilities` are predictions that a row is a hit, and `hits` has
 * 1 for each hit, else 0. For a yes/no question, a hit is a row whose label is yes, and its prediction is P(yes). For other types, a
 * hit is a row whose decision is right, and its prediction is the probability of the decision.
 */
export const completeWithCalibration = (
  context: QuestionContext,
  measured: MeasuredFigures,
  probabilities: Numbers,
  hits: Numbers,
): QuestionFigures => {
  const { rows, evidence, bootstrap } = context
  const random = createRandom(bootstrap.seed)
  const perfectEce = simulatePerfectEce(probabilities, rows.weights, bootstrap.draws, random)
  const figures = {
    ...measured.figures,
    ece: computeEce(probabilities, hits, rows.weights),
    ece_expected: perfectEce.mean,
  }
  const designEffect = evidence.noWilsonReason === undefined ? evidence.designEffect : undefined
  return {
    ...completeFigures(context, { ...measured, figures }),
    calibrationCurve: calibrationCurve(probabilities, hits, rows.weights, designEffect),
    eceLimit: perfectEce.quantile95,
  }
}

/** Completes the figures of a question. Figures that are not measured and all lists are null, with the reason `cause`. */
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
  const weightByLabel = sumByIndex(truth, labels.length, weights)
  const largestWeight = findLargest(weightByLabel)
  return {
    label: labels[weightByLabel.indexOf(largestWeight)] as string,
    accuracy: largestWeight / sum(weights),
  }
}
