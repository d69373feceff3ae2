import { brierLosses, logLosses } from '../statistics/losses'
import { sum } from '../statistics/numbers'
import { averagePrecision, rankingOf, rocAuc } from '../statistics/ranking'
import { sweep, sweepPoint } from '../statistics/thresholds'
import {
  averageEach,
  type Draws,
  gatherFigures,
  measureCalibration,
  measureFigures,
  type QuestionFigures,
  weighRows,
} from './figures'
import type { LabelledRows } from './labelled'

/** Measures a noul question that has labelled rows. R18 */
export const measureNoul = (rows: LabelledRows, draws: Draws): QuestionFigures => {
  const { truth, weights } = rows
  const p = rows.probabilities.values
  const losses = { brier_score: brierLosses(p, truth), log_loss: logLosses(p, truth) }
  const ranking = rankingOf(p, truth)
  const positives = sum(truth)
  const evidence = weighRows(rows)
  const measured = measureFigures(
    rows,
    evidence,
    {
      shares: { accuracy: sweepPoint(0.5, p, truth, weights).accuracy },
      others: (drawn) => ({
        ...averageEach(losses, drawn),
        roc_auc: rocAuc(ranking, drawn),
        average_precision: averagePrecision(ranking, drawn),
      }),
    },
    draws,
  )
  const { curve, eceLimit, ...calibrated } = measureCalibration(p, truth, weights, evidence, draws)
  const why: Record<string, string> = { ...measured.why }
  if (positives === 0 || positives === truth.length)
    why.roc_auc = `needs rows of both kinds, and every row is a ${positives === 0 ? 'no' : 'yes'}`
  if (positives === 0) why.average_precision = 'needs a row that is a yes'
  return {
    ...gatherFigures(rows, evidence, measured),
    figures: { positives, ...measured.figures, ...calibrated },
    why,
    curve,
    eceLimit,
    sweep: sweep(p, truth, weights),
  }
}
