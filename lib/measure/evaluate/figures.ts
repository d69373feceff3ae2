import type { Evidence } from '../rows/evidence'
import type { LabelledRows } from '../rows/labelled-run'
import type { Figures } from '../statistics/bootstrap'
import type { CurveBin } from '../statistics/calibration'
import type { ClassFigures } from '../statistics/classification'
import type { Interval } from '../statistics/intervals'
import type { RiskPoint, SweepPoint } from '../statistics/thresholds'
import type { LabelAgreement } from './label-agreement'

/** The number of bootstrap draws, and their seed. Members have the names of the document of `svc eval`. */
export type BootstrapSettings = {
  readonly draws: number
  readonly seed: number
}

/** The figures (numbers such as the accuracy) of one question, as in the document of `svc eval`. */
export interface QuestionFigures {
  /** The rows that the figures are about. */
  readonly rows: LabelledRows
  readonly type: LabelledRows['type']
  readonly labelledRows: number
  readonly evidence: Evidence
  /** The agreement of both labels of the rows that were labelled twice; `undefined` if no row was labelled twice. */
  readonly agreement: LabelAgreement | undefined
  /** The figures by name, in the order of the document. A figure that is undefined for the rows is null. */
  readonly figures: Figures
  readonly intervals: Readonly<Record<string, Interval>>
  /** The reasons why figures or lists are null, or why figures have no interval. */
  readonly reasons: Readonly<Record<string, string>>
  /** The most common label, and the accuracy of always giving it as the answer. */
  readonly baseline: { readonly label: string | null; readonly accuracy: number | null }
  /** The 95 % quantile of the `ece` (expected calibration error) of perfectly calibrated probabilities; null if there is no `ece`. */
  readonly eceLimit: number | null
  /** This list and the lists below are null if the question type does not have them, or if `reasons` explains why. */
  readonly calibrationCurve: ReadonlyArray<CurveBin> | null
  readonly sweep: ReadonlyArray<SweepPoint> | null
  readonly perClass: ReadonlyArray<LabelFigures> | null
  readonly confusionMatrix: ConfusionMatrix | null
  readonly riskCoverage: ReadonlyArray<RiskPoint> | null
}

interface LabelFigures extends ClassFigures {
  readonly label: string
}

/** The weight of the rows by right label (rows of the matrix) and decided label (columns). */
type ConfusionMatrix = {
  readonly labels: ReadonlyArray<string>
  readonly matrix: ReadonlyArray<ReadonlyArray<number>>
}

/** The names of the figures that each question type has, in the order of the document. */
export const figureNames: Readonly<Record<LabelledRows['type'], ReadonlyArray<string>>> = {
  noul: [
    'positives',
    'accuracy',
    'precision',
    'recall',
    'brier_score',
    'log_loss',
    'roc_auc',
    'average_precision',
    'ece',
    'ece_expected',
  ],
  choice: [
    'accuracy',
    'balanced_accuracy',
    'macro_f1',
    'brier_score',
    'log_loss',
    'ece',
    'ece_expected',
  ],
  score: [
    'exact',
    'adjacent',
    'mean_absolute_error',
    'ranked_probability_score',
    'quadratic_kappa',
    'ece',
    'ece_expected',
  ],
}

/** The figures and counts that never have an interval. Limits are compared with their values. */
export const neverWithInterval: ReadonlySet<string> = new Set([
  'n',
  'n_effective',
  'groups',
  'refused',
  'positives',
  'ece',
  'ece_expected',
])

/**
 * Returns the share of right answers, and its interval or the reason why it has none. For a score, an answer is right if its level
 * is.
 */
export const accuracyOf = ({ type, figures, intervals, reasons }: QuestionFigures) => {
  const name = type === 'score' ? 'exact' : 'accuracy'
  return {
    accuracy: figures[name] ?? null,
    interval: intervals[name],
    noIntervalReason: reasons[name],
  }
}

/** The names, in the document, of the lists that each question type has. */
export const listNames = {
  noul: ['calibration_curve', 'sweep'],
  choice: ['calibration_curve', 'per_class', 'confusion_matrix', 'risk_coverage'],
  score: ['calibration_curve', 'confusion_matrix'],
} as const

/**
 * Lists the table cells of each figure: name, value, and the two ends of its interval. Without an interval, the cells of the ends are
 * empty. `format` gets a value and the name of its figure.
 */
export const listFigureCells = (
  { figures, intervals }: QuestionFigures,
  format: (value: number | null, figure: string) => string,
): ReadonlyArray<ReadonlyArray<string>> =>
  Object.entries(figures).map(([name, figure]) => {
    const interval = intervals[name]
    const value = format(figure, name)
    if (interval === undefined) return [name, value, '', '']
    return [name, value, format(interval.low, name), format(interval.high, name)]
  })
