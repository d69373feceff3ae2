import { bootstrap, type Figures } from '../statistics/bootstrap'
import { type CurveBin, calibrationCurve, ece, expectedEce } from '../statistics/calibration'
import type { ClassFigures } from '../statistics/classification'
import { type Interval, wilson } from '../statistics/intervals'
import { effectiveSize, largest, mean, type Numbers, sum, type Table } from '../statistics/numbers'
import { seeded } from '../statistics/random'
import type { RiskPoint, SweepPoint } from '../statistics/thresholds'
import type { LabelledRows } from './labelled'

/** The number of bootstrap draws, and their seed. R19 */
export type Draws = {
  readonly draws: number
  readonly seed: number
}

/** The figures of one question, as in the document. R18 */
export interface QuestionFigures {
  readonly type: LabelledRows['type']
  /** The number of labelled rows. */
  readonly n: number
  /** The numbers by name, in the order of the document; null where one is not defined. */
  readonly figures: Figures
  /** The 95 % interval of each figure that has one. */
  readonly intervals: Readonly<Record<string, Interval>>
  /** Why a figure, or a list, is null. */
  readonly why: Readonly<Record<string, string>>
  readonly baseline: { readonly label: string | null; readonly accuracy: number | null }
  /** These lists are null where the type has none, or where `why` gives a reason. */
  readonly curve: ReadonlyArray<CurveBin> | null
  readonly sweep: ReadonlyArray<SweepPoint> | null
  readonly perClass: ReadonlyArray<LabelFigures> | null
  readonly confusion: Confusion | null
  readonly risk: ReadonlyArray<RiskPoint> | null
}

/** The figures of one label. */
interface LabelFigures extends ClassFigures {
  readonly label: string
}

/** The weight of the rows by right label (matrix rows) and decision (matrix columns). */
type Confusion = {
  readonly labels: ReadonlyArray<string>
  readonly matrix: ReadonlyArray<ReadonlyArray<number>>
}

/** Figures and their intervals by name. */
type Measured = Pick<QuestionFigures, 'figures' | 'intervals'>

/** What to compute for a question. */
interface Plan {
  /** Shares of rows. They get a Wilson interval. */
  readonly shares: Readonly<Record<string, number>>
  /** Computes the other figures for given weights. They get a bootstrap interval. */
  readonly others: (weights: Numbers) => Figures
}

/** Computes figures and their intervals. R19 */
export const withIntervals = (
  { weights, units }: LabelledRows,
  { shares, others }: Plan,
  { draws, seed }: Draws,
): Measured => {
  const n = effectiveSize(weights)
  const wilsons = Object.entries(shares).map(
    ([name, share]) => [name, wilson(Math.min(1, share), n)] as const,
  )
  return {
    figures: { ...shares, ...others(weights) },
    intervals: {
      ...Object.fromEntries(wilsons),
      ...bootstrap(others, weights, units, draws, seeded(seed)),
    },
  }
}

/**
 * The calibration of the probabilities `p`, and the error that a perfectly calibrated source would show by
 * chance. `hits` is 1 where the decision is right (for a noul, where the label is yes), else 0. R19
 */
export const calibration = (
  p: Numbers,
  hits: Numbers,
  weights: Numbers,
  { draws, seed }: Draws,
): {
  readonly ece: number
  readonly ece_expected: number
  readonly curve: ReadonlyArray<CurveBin>
} => ({
  ece: ece(p, hits, weights),
  ece_expected: expectedEce(p, weights, draws, seeded(seed)),
  curve: calibrationCurve(p, hits, weights),
})

/** What the figures of all types have in common. Each type adds its own lists, and reasons for nulls. */
export const withoutLists = (rows: LabelledRows, { figures, intervals }: Measured) => ({
  type: rows.type,
  n: rows.truth.length,
  figures,
  intervals,
  baseline: baselineOf(rows),
  ...{ curve: null, sweep: null, perClass: null, confusion: null, risk: null },
})

/** The figures of a question for which only those of `measured` can be computed. All others, and the lists, are null. */
export const partly = (
  rows: LabelledRows,
  { figures, intervals }: Measured,
  why: string,
): QuestionFigures => {
  const names = figureNames[rows.type]
  const missing = names.filter((name) => !(name in figures))
  return {
    ...withoutLists(rows, {
      figures: Object.fromEntries(names.map((name) => [name, figures[name] ?? null])),
      intervals,
    }),
    why: Object.fromEntries([...missing, ...listNames[rows.type]].map((name) => [name, why])),
  }
}

/** Each figure with its interval as texts: name, value, and both ends of the interval, empty where it has none. */
export const figureCells = (
  { figures, intervals }: QuestionFigures,
  written: (value: number | null) => string,
): ReadonlyArray<ReadonlyArray<string>> =>
  Object.entries(figures).map(([name, value]) => {
    const interval = intervals[name]
    const ends = interval === undefined ? ['', ''] : [interval.low, interval.high].map(written)
    return [name, written(value), ...ends]
  })

/** The commonest label, the first of equal ones, and the accuracy of always answering it. */
const baselineOf = (rows: LabelledRows): QuestionFigures['baseline'] => {
  const weightOf = new Float64Array(rows.labels.length)
  for (let i = 0; i < rows.truth.length; i++) {
    const label = rows.truth[i] as number
    weightOf[label] = (weightOf[label] as number) + (rows.weights[i] as number)
  }
  const most = largest(weightOf)
  return rows.truth.length === 0
    ? { label: null, accuracy: null }
    : { label: rows.labels[weightOf.indexOf(most)] as string, accuracy: most / sum(rows.weights) }
}

/** Picks from each row of a table the column that `places` names. */
export const pickColumn = ({ values, columns }: Table, places: Numbers): Float64Array =>
  Float64Array.from(places, (place, row) => values[row * columns + place] as number)

/** For each row 1 where both are equal, else 0. */
export const hits = (truth: Numbers, decided: Numbers): Float64Array =>
  Float64Array.from(truth, (right, row) => (right === decided[row] ? 1 : 0))

/** The weighted mean of each of several lists. */
export const means = (
  lists: Readonly<Record<string, Numbers>>,
  weights: Numbers,
): Record<string, number> => {
  const result: Record<string, number> = {}
  for (const [name, list] of Object.entries(lists)) result[name] = mean(list, weights)
  return result
}

/** The rows of a table, as arrays. */
export const rowsOf = ({ values, columns }: Table): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: columns === 0 ? 0 : values.length / columns }, (_, row) =>
    Array.from({ length: columns }, (_, k) => values[row * columns + k] as number),
  )

/** The names of the figures that each question type has, in the order of the document. */
const figureNames: Readonly<Record<LabelledRows['type'], ReadonlyArray<string>>> = {
  noul: [
    ...['positives', 'accuracy', 'brier_score', 'log_loss', 'roc_auc', 'average_precision'],
    ...['ece', 'ece_expected'],
  ],
  choice: [
    ...['accuracy', 'balanced_accuracy', 'macro_f1', 'brier_score', 'log_loss'],
    ...['ece', 'ece_expected'],
  ],
  score: [
    ...['exact', 'adjacent', 'mean_absolute_error', 'ranked_probability_score'],
    ...['quadratic_kappa', 'ece', 'ece_expected'],
  ],
}

/** The names, in the document, of the lists that each question type has. */
export const listNames = {
  noul: ['calibration_curve', 'sweep'],
  choice: ['calibration_curve', 'per_class', 'confusion_matrix', 'risk_coverage'],
  score: ['calibration_curve', 'confusion_matrix'],
} as const
