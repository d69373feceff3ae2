import { createRandom } from '../../runtime/random'
import { explainFewRows } from '../rows/evidence'
import { bootstrapIntervals } from '../statistics/bootstrap'
import type { Interval } from '../statistics/intervals'
import { computeEffectiveSize, weightedMean } from '../statistics/numbers'
import type { LossDifferences } from './pair-losses'
import type { QuestionPairs } from './question-pairs'

/** The losses (the errors of probabilities; 0 is best) of run b compared with those of run a. */
export interface LossFigures {
  /** The name of `mainLossDifference` in the document of `svc compare`. */
  readonly mainLossName: 'brier_score_difference' | 'ranked_probability_score_difference'
  /** The mean Brier loss, or for a score the mean ranked probability score, of b minus that of a; null if probabilities are missing. */
  readonly mainLossDifference: number | null
  /** The mean log loss of b minus that of a; null if probabilities are missing. */
  readonly logLossDifference: number | null
  /** The 95 % intervals of both differences by their names in the document. */
  readonly intervals: Readonly<Record<string, Interval>>
  /** The interval of `mainLossDifference` at the level of `--significant`; `undefined` if there is none. */
  readonly strictInterval: Interval | undefined
  /** The reasons why figures are null or have no interval, by their names in the document. */
  readonly missingReasons: Readonly<Record<string, string>>
}

/** The settings of the bootstrap. */
interface LossPlan {
  /** The number of draws for 95 % intervals. */
  readonly draws: number
  readonly seed: number
  /** The probability that the strict interval may miss the true value; `undefined` without `--significant`. */
  readonly errorLevel: number | undefined
}

/** A strict interval needs at least this many draws in each tail. */
const minDrawsInTail = 20

/** Intervals that take more draws are not computed, because that would take minutes. */
const maxDraws = 1_000_000

/** Computes the mean differences of losses and their bootstrap intervals, or explains why they are missing. */
export const measureLosses = (pairs: QuestionPairs, plan: LossPlan): LossFigures => {
  const { seed, errorLevel } = plan
  const mainLossName =
    pairs.type === 'score' ? 'ranked_probability_score_difference' : 'brier_score_difference'
  const losses = pairs.losses.differences()
  const { mainLossDifferences, logLossDifferences, weights, units } = losses
  const noLossesReason = explainNoLosses(pairs, losses)
  const noIntervalReason =
    noLossesReason ??
    explainFewRows(mainLossDifferences.length, computeEffectiveSize(weights), units)
  const intervals =
    noIntervalReason === undefined
      ? drawIntervals(mainLossName, losses, plan.draws, seed, 0.95)
      : {}
  const missingReasons: Record<string, string> = {}
  for (const name of [mainLossName, 'log_loss_difference'])
    if (!(name in intervals)) missingReasons[name] = noIntervalReason ?? 'its draws do not vary'
  let strictInterval: Interval | undefined
  // If rows are independent, --significant is checked by McNemar's test and needs no strict interval.
  const areDependent = pairs.labelled.explainDependence() !== undefined
  if (noIntervalReason === undefined && errorLevel !== undefined && areDependent) {
    // Both tails together have the share `errorLevel` of all draws.
    const draws = Math.max(plan.draws, Math.ceil((2 * minDrawsInTail) / errorLevel))
    if (draws > maxDraws)
      missingReasons[mainLossName] = `an interval of this level takes ${draws} draws`
    else {
      const strict = drawIntervals(mainLossName, losses, draws, seed, 1 - errorLevel)
      strictInterval = strict[mainLossName]
    }
  }
  return {
    mainLossName,
    mainLossDifference:
      noLossesReason === undefined ? weightedMean(mainLossDifferences, weights) : null,
    logLossDifference:
      noLossesReason === undefined ? weightedMean(logLossDifferences, weights) : null,
    intervals,
    strictInterval,
    missingReasons,
  }
}

/** Explains why the mean differences of losses are missing; `undefined` if there are losses of all labelled pairs. */
const explainNoLosses = (
  pairs: QuestionPairs,
  { mainLossDifferences }: LossDifferences,
): string | undefined => {
  if (pairs.withoutProbabilities > 0) return pairs.explainMissingProbabilities()
  return mainLossDifferences.length === 0 ? 'refusals have no probabilities' : undefined
}

/** Computes the bootstrap intervals of both mean differences at a confidence level. An interval whose draws do not vary is absent. */
const drawIntervals = (
  mainLossName: LossFigures['mainLossName'],
  { mainLossDifferences, logLossDifferences, weights, units }: LossDifferences,
  draws: number,
  seed: number,
  level: number,
): Readonly<Record<string, Interval>> =>
  bootstrapIntervals(
    (drawnWeights) => ({
      [mainLossName]: weightedMean(mainLossDifferences, drawnWeights),
      log_loss_difference: weightedMean(logLossDifferences, drawnWeights),
    }),
    { weights, units, draws, random: createRandom(seed), level },
  )
