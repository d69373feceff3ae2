import type { Figures } from '../statistics/bootstrap'
import { brierLosses, logLosses } from '../statistics/losses'
import type { Numbers } from '../statistics/numbers'
import { averagePrecision, rankingOf, rocAuc } from '../statistics/ranking'
import { sweep, sweepPoint } from '../statistics/thresholds'
import {
  baselineOf,
  calibration,
  type Draws,
  means,
  noLists,
  pickColumn,
  type QuestionFigures,
  withIntervals,
} from './figures'
import type { LabelledRows } from './labelled'

/** Computes the figures of a noul question that has labelled rows. R18 */
export const noulFigures = (rows: LabelledRows, draws: Draws): QuestionFigures => {
  const { truth, weights } = rows
  const p = pickColumn(rows.probabilities, new Uint8Array(truth.length).fill(1))
  const losses = { brier_score: brierLosses(p, truth), log_loss: logLosses(p, truth) }
  const ranking = rankingOf(p, truth)
  const positives = truth.length - Array.from(truth).filter((label) => label === 0).length
  const measured = withIntervals(
    rows,
    {
      shares: { accuracy: sweepPoint(0.5, p, truth, weights).accuracy },
      others: (drawn: Numbers): Figures => ({
        ...means(losses, drawn),
        roc_auc: rocAuc(ranking, drawn),
        average_precision: averagePrecision(ranking, drawn),
      }),
    },
    draws,
  )
  const { curve, ...calibrated } = calibration(p, truth, weights, draws)
  const why: Record<string, string> = {}
  if (positives === 0 || positives === truth.length)
    why.roc_auc = `needs rows of both kinds, and every row is a ${positives === 0 ? 'no' : 'yes'}`
  if (positives === 0) why.average_precision = 'needs a row that is a yes'
  return {
    type: 'noul',
    n: truth.length,
    figures: { positives, ...measured.figures, ...calibrated },
    intervals: measured.intervals,
    why,
    baseline: baselineOf(rows),
    ...noLists,
    curve,
    sweep: sweep(p, truth, weights),
  }
}
