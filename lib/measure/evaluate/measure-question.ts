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
import type { BootstrapSettings, QuestionFigures } from './figures'
import {
  completeWithCalibration,
  completeWithNulls,
  createShareOfAll,
  createShareOfPart,
  measureFigures,
  type QuestionContext,
} from './measure-figures'

/** Measures a question. All figures except counts are null if no row has a label. */
export const measureQuestion = (
  rows: LabelledRows,
  bootstrap: BootstrapSettings,
): QuestionFigures => {
  const context = { rows, evidence: measureEvidence(rows), bootstrap }
  if (rows.truth.length === 0) {
    const figures: QuestionFigures['figures'] = rows.type === 'noul' ? { positives: 0 } : {}
    return completeWithNulls(context, { figures, intervals: {}, reasons: {} }, 'no labelled rows')
  }
  switch (rows.type) {
    case 'noul':
      return measureNoul(context)
    case 'choice':
      return measureChoice(context)
    case 'score':
      return measureScore(context)
  }
}

/** Measures a yes/no question. */
const measureNoul = (context: QuestionContext): QuestionFigures => {
  const { truth, weights, probabilities } = context.rows
  const yesProbabilities = probabilities.values
  const losses = {
    brier_score: brierLosses(yesProbabilities, truth),
    log_loss: logLosses(yesProbabilities, truth),
  }
  const ranking = rankRows(yesProbabilities, truth)
  const atHalf = measureThreshold(0.5, yesProbabilities, truth, weights)
  const isDecidedYes = (row: number): boolean => (yesProbabilities[row] as number) >= 0.5
  const shares = {
    accuracy: createShareOfAll(context, atHalf.accuracy),
    precision: createShareOfPart(context, atHalf.precision, isDecidedYes),
    recall: createShareOfPart(context, atHalf.recall, (row) => truth[row] === 1),
  }
  const measured = measureFigures(context, shares, (drawnWeights) => ({
    ...averageEach(losses, drawnWeights),
    roc_auc: rocAuc(ranking, drawnWeights),
    average_precision: averagePrecision(ranking, drawnWeights),
  }))
  const positives = sum(truth)
  const figures = { positives, ...measured.figures }
  const reasons: Record<string, string> = { ...measured.reasons }
  if (positives === 0 || positives === truth.length)
    reasons.roc_auc = `needs rows of both kinds, and every row is a ${positives === 0 ? 'no' : 'yes'}`
  if (positives === 0) {
    reasons.recall = 'needs a row that is a yes'
    reasons.average_precision = 'needs a row that is a yes'
  }
  if (atHalf.precision === null) reasons.precision = 'needs an answer that decides for yes'
  const withReasons = { ...measured, figures, reasons }
  return {
    ...completeWithCalibration(context, withReasons, yesProbabilities, truth),
    sweep: sweepThresholds(yesProbabilities, truth, weights),
  }
}

const measureChoice = (context: QuestionContext): QuestionFigures => {
  const { truth, decisions, right, weights, labels, probabilities } = context.rows
  const matrix = countConfusions(truth, decisions, labels.length, weights)
  const shares = { accuracy: createShareOfAll(context, shareWithin(matrix, 0)) }
  const noProbabilitiesReason = explainAnswersWithoutProbabilities(context.rows)
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
    ...completeWithCalibration(context, measured, decisionProbabilities, right),
    perClass: measureClasses(matrix).map((classFigures, i) => ({
      label: labels[i] as string,
      ...classFigures,
    })),
    confusionMatrix: { labels, matrix: listTableRows(matrix) },
    riskCoverage: riskCoverage(decisionProbabilities, right, weights),
  }
}

const measureScore = (context: QuestionContext): QuestionFigures => {
  const { truth, decisions, right, weights, labels, probabilities, scores } = context.rows
  // The index of a level is the level itself.
  const errors = mapNumbers(scores, (score, row) => Math.abs(score - (truth[row] as number)))
  const noProbabilitiesReason = explainAnswersWithoutProbabilities(context.rows)
  if (noProbabilitiesReason !== undefined) {
    // A score without probabilities has no decision, so only the error of the score can be measured.
    const measured = measureFigures(context, {}, (drawnWeights) => ({
      mean_absolute_error: weightedMean(errors, drawnWeights),
    }))
    return completeWithNulls(context, measured, noProbabilitiesReason)
  }
  const matrix = countConfusions(truth, decisions, labels.length, weights)
  const rankedScores = labels.length > 1 ? rankedProbabilityScores(probabilities, truth) : undefined
  const shares = {
    exact: createShareOfAll(context, shareWithin(matrix, 0)),
    adjacent: createShareOfAll(context, shareWithin(matrix, 1)),
  }
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
    ...completeWithCalibration(context, { ...measured, reasons }, decisionProbabilities, right),
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
