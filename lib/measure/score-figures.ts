import { confusion, quadraticKappa, within } from '../statistics/classification'
import { rankedProbabilityScores } from '../statistics/losses'
import { mean } from '../statistics/numbers'
import { missingText } from './choice-figures'
import {
  baselineOf,
  calibration,
  type Draws,
  hits,
  listNames,
  noLists,
  nulls,
  pickColumn,
  type QuestionFigures,
  rowsOf,
  withIntervals,
} from './figures'
import { type LabelledRows, rowsWithout } from './labelled'

/** Computes the figures of a score question that has labelled rows. R18 */
export const scoreFigures = (rows: LabelledRows, draws: Draws): QuestionFigures => {
  const { truth, decided, weights, labels, probabilities, scores } = rows
  // Levels are read from the labels' text, since in a run without probabilities their positions are not the
  // levels.
  const level = Float64Array.from(truth, (place) => Number(labels[place]))
  const off = Float64Array.from(scores, (score, row) => Math.abs(score - (level[row] as number)))
  const without = rowsWithout(rows)
  if (without > 0) return withoutProbabilities(rows, off, without, draws)
  const matrix = confusion(truth, decided, labels.length, weights)
  const ranked = labels.length > 1 ? rankedProbabilityScores(probabilities, truth) : undefined
  const measured = withIntervals(
    rows,
    {
      shares: { exact: within(matrix, 0), adjacent: within(matrix, 1) },
      others: (drawn) => ({
        mean_absolute_error: mean(off, drawn),
        ranked_probability_score: ranked === undefined ? null : mean(ranked, drawn),
        quadratic_kappa: quadraticKappa(confusion(truth, decided, labels.length, drawn)),
      }),
    },
    draws,
  )
  const { curve, ...calibrated } = calibration(
    pickColumn(probabilities, decided),
    hits(truth, decided),
    weights,
    draws,
  )
  const why: Record<string, string> = {}
  if (ranked === undefined) why.ranked_probability_score = 'needs two levels at least'
  if (measured.figures.quadratic_kappa === null)
    why.quadratic_kappa = 'needs two levels that occur, in labels or answers'
  return {
    type: 'score',
    n: truth.length,
    figures: { ...measured.figures, ...calibrated },
    intervals: measured.intervals,
    why,
    baseline: baselineOf(rows),
    ...noLists,
    curve,
    confusion: { labels, matrix: rowsOf(matrix) },
  }
}

/**
 * The figures where answers lack probabilities: only those of the score itself, since the decided level needs
 * probabilities. R18
 */
const withoutProbabilities = (
  rows: LabelledRows,
  off: Float64Array,
  without: number,
  draws: Draws,
): QuestionFigures => {
  const why = missingText(rows, without)
  const shares = nulls(['exact', 'adjacent'], why)
  const others = nulls(['ranked_probability_score', 'quadratic_kappa', 'ece', 'ece_expected'], why)
  const measured = withIntervals(
    rows,
    {
      shares: shares.values,
      others: (drawn) => ({ mean_absolute_error: mean(off, drawn) }),
    },
    draws,
  )
  return {
    type: 'score',
    n: rows.truth.length,
    figures: { ...measured.figures, ...others.values },
    intervals: measured.intervals,
    why: { ...shares.why, ...others.why, ...nulls(listNames.score, why).why },
    baseline: baselineOf(rows),
    ...noLists,
  }
}
