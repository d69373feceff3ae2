import { createRandom } from '../../runtime/random'
import { explainFewRows } from '../rows/evidence'
import { bootstrapIntervals } from '../statistics/bootstrap'
import type { Interval } from '../statistics/intervals'
import { computeEffectiveSize, weightedMean } from '../statistics/numbers'
import type { LossDifferences } from './pair-losses'
import type { QuestionPairs } from './question-pairs'

/** The losses (the errors of probabilities; 0 is best) of run b compared with those of run a. */
export interface LossFigures {
  /** The name of the main loss in the document of `svc compare`. */
  readonly mainLossName: 'brier_score_difference' | 'ranked_probability_score_difference'
  /** The mean main loss of b minus that of a; null if probabilities are missing. */
  readonly mainLoss: number | null
  /** The mean log loss of b minus that of a; null if probabilities are missing. */
  readonly logLoss: number | null
  /** The 95 % intervals of both losses by their names in the document. */
  readonly intervals: Readonly<Record<string, Interval>>
  /** The interval of `mainLoss` at the level of `--significant`; `undefined` if there is none. */
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
  const mainLossName =
    pairs.type === 'score' ? 'ranked_probability_score_difference' : 'brier_score_difference'
  const losses = pairs.losses.differences()
  const { mainLosses, logLosses, weights, units } = losses
  const noLossesReason = explainNoLosses(pairs, losses)
  const means = {
    mainLossName,
    mainLoss: noLossesReason === undefined ? weightedMean(mainLosses, weights) : null,
    logLoss: noLossesReason === undefined ? weightedMean(logLosses, weights) : null,
    strictInterval: undefined,
  } as const
  const noIntervalReason =
    noLossesReason ?? explainFewRows(mainLosses.length, computeEffectiveSize(weights), units)
  if (noIntervalReason !== undefined) {
    const missingReasons = {
      [mainLossName]: noIntervalReason,
      log_loss_difference: noIntervalReason,
    }
    return { ...means, intervals: {}, missingReasons }
  }
  const intervals = drawIntervals(mainLossName, losses, plan.draws, plan.seed, 0.95)
  const missingReasons: Record<string, string> = {}
  for (const name of [mainLossName, 'log_loss_difference'])
    if (!(name in intervals)) missingReasons[name] = 'its draws do not vary'
  // If rows are independent, --significant is checked by McNemar's test and needs no strict interval.
  if (plan.errorLevel === undefined || pairs.losses.explainDependence() === undefined)
    return { ...means, intervals, missingReasons }
  const draws = Math.max(plan.draws, Math.ceil((2 * minDrawsInTail) / plan.errorLevel))
  if (draws > maxDraws) {
    missingReasons[mainLossName] = `an interval of this level takes ${draws} draws`
    return { ...means, intervals, missingReasons }
  }
  const strict = drawIntervals(mainLossName, losses, draws, plan.seed, 1 - plan.errorLevel)
  return { ...means, intervals, strictInterval: strict[mainLossName], missingReasons }
}

/** Explains why the mean differences of losses are missing; `undefined` if there are losses of all labelled pairs. */
const explainNoLosses = (
  pairs: QuestionPairs,
  { mainLosses }: LossDifferences,
): string | undefined => {
  if (pairs.withoutProbabilities > 0) return pairs.explainMissingProbabilities()
  return mainLosses.length === 0 ? 'refusals have no probabilities' : undefined
}

/** Computes the bootstrap intervals of both mean differences at a confidence level. An interval whose draws do not vary is absent. */
const drawIntervals = (
  mainLossName: LossFigures['mainLossName'],
  { mainLosses, logLosses, weights, units }: LossDifferences,
  draws: number,
  seed: number,
  level: number,
): Readonly<Record<string, Interval>> =>
  bootstrapIntervals(
    (drawnWeights) => ({
      [mainLossName]: weightedMean(mainLosses, drawnWeights),
      log_loss_difference: weightedMean(logLosses, drawnWeights),
    }),
    { weights, units, draws, random: createRandom(seed), level },
  )
