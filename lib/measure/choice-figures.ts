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
  averageEach,
  type Draws,
  gatherFigures,
  gatherPart,
  measureCalibration,
  measureFigures,
  pickColumn,
  type QuestionFigures,
  rowsOf,
  weighRows,
} from './figures'
import { type LabelledRows, missingProbabilities } from './labelled'

/** Measures a choice question that has labelled rows. R18 */
export const measureChoice = (rows: LabelledRows, draws: Draws): QuestionFigures => {
  const { truth, decided, right, weights, labels, probabilities } = rows
  const evidence = weighRows(rows)
  const matrix = confusion(truth, decided, labels.length, weights)
  const shares = { accuracy: within(matrix, 0) }
  const missing = missingProbabilities(rows)
  if (missing !== undefined) {
    const measured = measureFigures(rows, evidence, { shares, others: () => ({}) }, draws)
    return gatherPart(rows, evidence, measured, missing)
  }
  const losses = {
    brier_score: brierLossesOfAll(probabilities, truth),
    log_loss: logLossesOfAll(probabilities, truth),
  }
  const measured = measureFigures(
    rows,
    evidence,
    {
      shares,
      others: (drawn) => {
        const drawnMatrix = confusion(truth, decided, labels.length, drawn)
        return {
          balanced_accuracy: balancedAccuracy(drawnMatrix),
          macro_f1: macroF1(drawnMatrix),
          ...averageEach(losses, drawn),
        }
      },
    },
    draws,
  )
  const chosen = pickColumn(probabilities, decided)
  const { curve, eceLimit, ...calibrated } = measureCalibration(
    chosen,
    right,
    weights,
    evidence,
    draws,
  )
  return {
    ...gatherFigures(rows, evidence, measured),
    figures: { ...measured.figures, ...calibrated },
    curve,
    eceLimit,
    perClass: perClass(matrix).map((one, place) => ({ label: labels[place] as string, ...one })),
    confusion: { labels, matrix: rowsOf(matrix) },
    risk: riskCoverage(chosen, right, weights),
  }
}
