import { confusion, quadraticKappa, within } from '../statistics/classification'
import { rankedProbabilityScores } from '../statistics/losses'
import { mapNumbers, mean, type Numbers } from '../statistics/numbers'
import {
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

/** Measures a score question that has labelled rows. R18 */
export const measureScore = (rows: LabelledRows, draws: Draws): QuestionFigures => {
  const { truth, decided, right, weights, labels, probabilities, scores } = rows
  const evidence = weighRows(rows)
  // Levels are read from the labels' text, since in a run without probabilities their positions are not the
  // levels.
  const levels = labels.map(Number)
  const off = mapNumbers(scores, (score, row) =>
    Math.abs(score - (levels[truth[row] as number] as number)),
  )
  const missing = missingProbabilities(rows)
  if (missing !== undefined) {
    // The level that is decided for is the likeliest one, so that only the score's own figure is left.
    const others = (drawn: Numbers) => ({ mean_absolute_error: mean(off, drawn) })
    const measured = measureFigures(rows, evidence, { shares: {}, others }, draws)
    return gatherPart(rows, evidence, measured, missing)
  }
  const matrix = confusion(truth, decided, labels.length, weights)
  const ranked = labels.length > 1 ? rankedProbabilityScores(probabilities, truth) : undefined
  const measured = measureFigures(
    rows,
    evidence,
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
  const { curve, eceLimit, ...calibrated } = measureCalibration(
    pickColumn(probabilities, decided),
    right,
    weights,
    evidence,
    draws,
  )
  const why: Record<string, string> = { ...measured.why }
  if (ranked === undefined) why.ranked_probability_score = 'needs two levels at least'
  if (measured.figures.quadratic_kappa === null)
    why.quadratic_kappa = 'needs two levels that occur, in labels or answers'
  return {
    ...gatherFigures(rows, evidence, measured),
    figures: { ...measured.figures, ...calibrated },
    why,
    curve,
    eceLimit,
    confusion: { labels, matrix: rowsOf(matrix) },
  }
}
