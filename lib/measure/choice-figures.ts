import {
  balancedAccuracy,
  confusion,
  macroF1,
  perClass,
  within,
} from '../statistics/classification'
import { brierLossesOfAll, logLossesOfAll } from '../statistics/losses'
import { riskCoverage } from '../statistics/thresholds'
import {
  baselineOf,
  calibration,
  type Draws,
  hits,
  listNames,
  means,
  noLists,
  nulls,
  pickColumn,
  type QuestionFigures,
  rowsOf,
  withIntervals,
} from './figures'
import { type LabelledRows, rowsWithout } from './labelled'

/** Computes the figures of a choice question that has labelled rows. R18 */
export const choiceFigures = (rows: LabelledRows, draws: Draws): QuestionFigures => {
  const { truth, decided, weights, labels, probabilities } = rows
  const matrix = confusion(truth, decided, labels.length, weights)
  const shares = { accuracy: within(matrix, 0) }
  const without = rowsWithout(rows)
  if (without > 0) return withoutProbabilities(rows, shares, without, draws)
  const losses = {
    brier_score: brierLossesOfAll(probabilities, truth),
    log_loss: logLossesOfAll(probabilities, truth),
  }
  const measured = withIntervals(
    rows,
    {
      shares,
      others: (drawn) => {
        const drawnMatrix = confusion(truth, decided, labels.length, drawn)
        return {
          balanced_accuracy: balancedAccuracy(drawnMatrix),
          macro_f1: macroF1(drawnMatrix),
          ...means(losses, drawn),
        }
      },
    },
    draws,
  )
  const chosen = pickColumn(probabilities, decided)
  const right = hits(truth, decided)
  const { curve, ...calibrated } = calibration(chosen, right, weights, draws)
  return {
    type: 'choice',
    n: truth.length,
    figures: { ...measured.figures, ...calibrated },
    intervals: measured.intervals,
    why: {},
    baseline: baselineOf(rows),
    ...noLists,
    curve,
    perClass: perClass(matrix).map((one, place) => ({ label: labels[place] as string, ...one })),
    confusion: { labels, matrix: rowsOf(matrix) },
    risk: riskCoverage(chosen, right, weights),
  }
}

/** The figures where answers lack probabilities: only accuracy can be computed, the others are null. R18 */
const withoutProbabilities = (
  rows: LabelledRows,
  shares: { readonly accuracy: number },
  without: number,
  draws: Draws,
): QuestionFigures => {
  const numbers = nulls(
    ['balanced_accuracy', 'macro_f1', 'brier_score', 'log_loss', 'ece', 'ece_expected'],
    missingText(rows, without),
  )
  const measured = withIntervals(rows, { shares, others: () => ({}) }, draws)
  return {
    type: 'choice',
    n: rows.truth.length,
    figures: { ...measured.figures, ...numbers.values },
    intervals: measured.intervals,
    why: { ...numbers.why, ...nulls(listNames.choice, missingText(rows, without)).why },
    baseline: baselineOf(rows),
    ...noLists,
  }
}

/** Says how many rows lack probabilities. */
export const missingText = (rows: LabelledRows, without: number): string =>
  `${without} of ${rows.truth.length} answers have no probabilities`
