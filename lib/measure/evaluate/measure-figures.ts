import { createRandom } from '../../runtime/random'
import type { Evidence } from '../rows/evidence'
import type { LabelledRows } from '../rows/labelled-run'
import { bootstrap, type Figures } from '../statistics/bootstrap'
import { calibrationCurve, ece, simulatePerfectEce } from '../statistics/calibration'
import { type Interval, wilson } from '../statistics/intervals'
import { findLargest, type Numbers, sum } from '../statistics/numbers'
import { type Draws, figureNames, listNames, type QuestionFigures } from './figures'

/** Figures by name with their intervals, and the reasons for missing ones. */
type MeasuredFigures = Pick<QuestionFigures, 'figures' | 'intervals' | 'why'>

/** Figures of a ranking. Bootstrap draws say little about them if rows have different weights. */
const rankFigures: ReadonlySet<string> = new Set(['roc_auc', 'average_precision'])

/** Bootstrap draws say little about these figures if a label is rare. */
const labelFigures: ReadonlySet<string> = new Set([
  'roc_auc',
  'average_precision',
  'balanced_accuracy',
  'macro_f1',
  'quadratic_kappa',
])

/** `labelFigures` get intervals only if each label that occurs has at least this many rows. */
const minRowsOfLabel = 10

const explainRareLabel = ({ truth, labels }: LabelledRows): string | undefined => {
  const counts = new Uint32Array(labels.length)
  for (let i = 0; i < truth.length; i++) {
    const label = truth[i] as number
    counts[label] = (counts[label] as number) + 1
  }
  const rare = counts.findIndex((count) => count > 0 && count < minRowsOfLabel)
  return rare < 0
    ? undefined
    : `an interval takes ${minRowsOfLabel} rows of each label, and "${labels[rare]}" has ${counts[rare]}`
}

/**
 * Computes figures and their intervals, and explains missing intervals. `shares` are shares of rows, which get a
 * Wilson interval. `measureOthers` computes the remaining figures for given weights; they get a bootstrap interval.
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
  const why: Record<string, string> = {}
  for (const [name, value] of Object.entries(figures)) {
    if (value === null) continue
    const isShare = name in shares
    const reason = isShare ? evidence.whyNoWilson : drawn.explainMissing(name)
    if (reason !== undefined) why[name] = reason
    else if (isShare) intervals[name] = wilson(Math.min(1, value), evidence.nEffective)
    else intervals[name] = drawn.intervals[name] as Interval
  }
  return { figures, intervals, why }
}

/** Computes the bootstrap intervals of figures, and explains missing ones. */
const drawIntervals = (
  rows: LabelledRows,
  { whyNoBootstrap, isWeighted }: Evidence,
  { draws, seed }: Draws,
  measure: (weights: Numbers) => Figures,
) => {
  const { weights, units } = rows
  const plan = { weights, units, draws, random: createRandom(seed) }
  const intervals = whyNoBootstrap === undefined ? bootstrap(measure, plan) : {}
  const rareLabel = explainRareLabel(rows)
  const explainMissing = (name: string): string | undefined => {
    if (whyNoBootstrap !== undefined) return whyNoBootstrap
    if (isWeighted && rankFigures.has(name)) return 'an interval takes rows of equal weight'
    if (rareLabel !== undefined && labelFigures.has(name)) return rareLabel
    return name in intervals ? undefined : 'its draws do not vary'
  }
  return { intervals, explainMissing }
}

/** Adds to figures the members that all question types have. The lists are null. */
const completeFigures = (
  rows: LabelledRows,
  evidence: Evidence,
  measured: MeasuredFigures,
): QuestionFigures => ({
  type: rows.type,
  n: rows.truth.length,
  evidence,
  refused: rows.refused,
  ...measured,
  baseline: measureBaseline(rows),
  eceLimit: null,
  curve: null,
  sweep: null,
  perClass: null,
  confusion: null,
  risk: null,
})

/**
 * Adds to figures the calibration of the probabilities `p`, and the calibration error that a perfectly calibrated source
 * would show by chance. `hits` is 1 if the decision is right (for a noul, if the label is yes), else 0. The lists of the
 * question type are null.
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
  const { expected, limit } = simulatePerfectEce(p, weights, draws, createRandom(seed))
  const figures = { ...measured.figures, ece: ece(p, hits, weights), ece_expected: expected }
  const designEffect = evidence.whyNoWilson === undefined ? evidence.designEffect : undefined
  return {
    ...completeFigures(rows, evidence, { ...measured, figures }),
    curve: calibrationCurve(p, hits, weights, designEffect),
    eceLimit: limit,
  }
}

/** Completes the figures of a question that has only those of `measured`. The missing ones are null because of `cause`. */
export const completeWithNulls = (
  rows: LabelledRows,
  evidence: Evidence,
  { figures, intervals, why }: MeasuredFigures,
  cause: string,
): QuestionFigures => {
  const names = figureNames[rows.type]
  const missing = [...names.filter((name) => !(name in figures)), ...listNames[rows.type]]
  return completeFigures(rows, evidence, {
    figures: Object.fromEntries(names.map((name) => [name, figures[name] ?? null])),
    intervals,
    why: { ...why, ...Object.fromEntries(missing.map((name) => [name, cause])) },
  })
}

/** Finds the commonest label, the first of equally common ones, and the accuracy of always answering it. */
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
