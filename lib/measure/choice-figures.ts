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
  calibration,
  type Draws,
  hits,
  means,
  partly,
  pickColumn,
  type QuestionFigures,
  rowsOf,
  withIntervals,
  withoutLists,
} from './figures'
import { type LabelledRows, missingProbabilities } from './labelled'

/** Computes the figures of a choice question that has labelled rows. R18 */
export const choiceFigures = (rows: LabelledRows, draws: Draws): QuestionFigures => {
  const { truth, decided, weights, labels, probabilities } = rows
  const matrix = confusion(truth, decided, labels.length, weights)
  const shares = { accuracy: within(matrix, 0) }
  const missing = missingProbabilities(rows)
  if (missing !== undefined)
    return partly(rows, withIntervals(rows, { shares, others: () => ({}) }, draws), missing)
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
    ...withoutLists(rows, measured),
    figures: { ...measured.figures, ...calibrated },
    why: {},
    curve,
    perClass: perClass(matrix).map((one, place) => ({ label: labels[place] as string, ...one })),
    confusion: { labels, matrix: rowsOf(matrix) },
    risk: riskCoverage(chosen, right, weights),
  }
}
