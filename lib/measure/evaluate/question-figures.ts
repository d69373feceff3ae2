import { measureEvidence } from '../rows/evidence'
import { explainAnswersWithoutProbabilities, type LabelledRows } from '../rows/labelled-run'
import {
  balancedAccuracy,
  countConfusions,
  macroF1,
  measureClasses,
  quadraticKappa,
  shareWithin,
} from '../statistics/classification'
import {
  brierLosses,
  brierLossesOfAll,
  logLosses,
  logLossesOfAll,
  rankedProbabilityScores,
} from '../statistics/losses'
import {
  listTableRows,
  mapNumbers,
  type Numbers,
  pickColumns,
  sum,
  weightedMean,
} from '../statistics/numbers'
import { averagePrecision, rankRows, rocAuc } from '../statistics/ranking'
import { measureThreshold, riskCoverage, sweepThresholds } from '../statistics/thresholds'
import type { Draws, QuestionFigures } from './figures'
import { addCalibration, completeWithNulls, measureFigures } from './measure-figures'

/** Measures a yes/no question (`noul`) that has labelled rows. */
export const measureNoul = (rows: LabelledRows, draws: Draws): QuestionFigures => {
  const { truth, weights } = rows
  /** P(yes) of each row. */
  const p = rows.probabilities.values
  const losses = { brier_score: brierLosses(p, truth), log_loss: logLosses(p, truth) }
  const ranking = rankRows(p, truth)
  const positives = sum(truth)
  const context = { rows, evidence: measureEvidence(rows), draws }
  const { accuracy } = measureThreshold(0.5, p, truth, weights)
  const measured = measureFigures(context, { accuracy }, (drawnWeights) => ({
    ...averageEach(losses, drawnWeights),
    roc_auc: rocAuc(ranking, drawnWeights),
    average_precision: averagePrecision(ranking, drawnWeights),
  }))
  const reasons: Record<string, string> = { ...measured.reasons }
  if (positives === 0 || positives === truth.length)
    reasons.roc_auc = `needs rows of both kinds, and every row is a ${positives === 0 ? 'no' : 'yes'}`
  if (positives === 0) reasons.average_precision = 'needs a row that is a yes'
  const figures = { positives, ...measured.figures }
  return {
    ...addCalibration(
      context,
      { ...measured, figures, reasons },
      { probabilities: p, hits: truth },
    ),
    sweep: sweepThresholds(p, truth, weights),
  }
}

/** Measures a choice question that has labelled rows. */
export const measureChoice = (rows: LabelledRows, draws: Draws): QuestionFigures => {
  const { truth, decisions, right, weights, labels, probabilities } = rows
  const context = { rows, evidence: measureEvidence(rows), draws }
  const matrix = countConfusions(truth, decisions, labels.length, weights)
  const shares = { accuracy: shareWithin(matrix, 0) }
  const noProbabilitiesReason = explainAnswersWithoutProbabilities(rows)
  if (noProbabilitiesReason !== undefined) {
    const measured = measureFigures(context, shares, () => ({}))
    return completeWithNulls(context, measured, noProbabilitiesReason)
  }
  const losses = {
    brier_score: brierLossesOfAll(probabilities, truth),
    log_loss: logLossesOfAll(probabilities, truth),
  }
  const measured = measureFigures(context, shares, (drawnWeights) => {
    const drawnMatrix = countConfusions(truth, decisions, labels.length, drawnWeights)
    return {
      balanced_accuracy: balancedAccuracy(drawnMatrix),
      macro_f1: macroF1(drawnMatrix),
      ...averageEach(losses, drawnWeights),
    }
  })
  const decisionProbabilities = pickColumns(probabilities, decisions)
  return {
    ...addCalibration(context, measured, { probabilities: decisionProbabilities, hits: right }),
    perClass: measureClasses(matrix).map((classFigures, i) => ({
      label: labels[i] as string,
      ...classFigures,
    })),
    confusionMatrix: { labels, matrix: listTableRows(matrix) },
    riskCoverage: riskCoverage(decisionProbabilities, right, weights),
  }
}

/** Measures a score question that has labelled rows. */
export const measureScore = (rows: LabelledRows, draws: Draws): QuestionFigures => {
  const { truth, decisions, right, weights, labels, probabilities, scores } = rows
  const context = { rows, evidence: measureEvidence(rows), draws }
  // In a run without probabilities, the index of a label is not its level.
  const levels = labels.map(Number)
  const errors = mapNumbers(scores, (score, row) =>
    Math.abs(score - (levels[truth[row] as number] as number)),
  )
  const noProbabilitiesReason = explainAnswersWithoutProbabilities(rows)
  if (noProbabilitiesReason !== undefined) {
    // A score without probabilities has no decision, so only the error of the score can be measured.
    const measureOthers = (drawnWeights: Numbers) => ({
      mean_absolute_error: weightedMean(errors, drawnWeights),
    })
    const measured = measureFigures(context, {}, measureOthers)
    return completeWithNulls(context, measured, noProbabilitiesReason)
  }
  const matrix = countConfusions(truth, decisions, labels.length, weights)
  const rankedScores = labels.length > 1 ? rankedProbabilityScores(probabilities, truth) : undefined
  const shares = { exact: shareWithin(matrix, 0), adjacent: shareWithin(matrix, 1) }
  const measured = measureFigures(context, shares, (drawnWeights) => ({
    mean_absolute_error: weightedMean(errors, drawnWeights),
    ranked_probability_score:
      rankedScores === undefined ? null : weightedMean(rankedScores, drawnWeights),
    quadratic_kappa: quadraticKappa(countConfusions(truth, decisions, labels.length, drawnWeights)),
  }))
  const reasons: Record<string, string> = { ...measured.reasons }
  if (rankedScores === undefined) reasons.ranked_probability_score = 'needs at least two levels'
  if (measured.figures.quadratic_kappa === null)
    reasons.quadratic_kappa = 'needs two levels that occur, in labels or answers'
  const decisionProbabilities = pickColumns(probabilities, decisions)
  return {
    ...addCalibration(
      context,
      { ...measured, reasons },
      { probabilities: decisionProbabilities, hits: right },
    ),
    confusionMatrix: { labels, matrix: listTableRows(matrix) },
  }
}

/** Computes the weighted mean of each list of losses. */
const averageEach = (
  losses: Readonly<Record<string, Numbers>>,
  weights: Numbers,
): Record<string, number> =>
  Object.fromEntries(
    Object.entries(losses).map(([name, list]) => [name, weightedMean(list, weights)]),
  )
