import { formatCount } from '../../failure/text/table'
import { createRandom } from '../../runtime/random'
import { explainFewRows } from '../rows/evidence'
import { bootstrapIntervals, countDraws } from '../statistics/bootstrap'
import { adjustByHolm, computeMcnemarPValue } from '../statistics/hypotheses'
import type { Interval } from '../statistics/intervals'
import { computeEffectiveSize, type Numbers, weightedMean } from '../statistics/numbers'
import type { PairedQuestion, PairedRuns } from './pair-runs'
import type { LossDifferences, QuestionPairs } from './question-pairs'

/** The figures that compare the answers of two runs, a and b, to one question. */
export interface QuestionDifference {
  readonly question: PairedQuestion
  /** The share of pairs with the same decision, by weight; null if no pair has a decision. */
  readonly agreement: number | null
  /** Cohen's kappa of the decisions; null if both runs always decide for the same label. */
  readonly kappa: number | null
  /** The mean total variation distance of the probabilities, from 0 to 1; null if probabilities are missing. */
  readonly meanShift: number | null
  /** Present if `a` has labels. */
  readonly labelled?: LabelledDifference
}

/** The figures that show which run is right, by the labels of `a`. */
export interface LabelledDifference {
  /** The p-value of McNemar's test; null if rows have weights or groups, since they are not independent draws then. */
  readonly mcnemarP: number | null
  /** That p-value, corrected by Holm's method for the number of questions. */
  readonly holmP: number | null
  /** The name of the main loss in the document. */
  readonly mainLossName: 'brier_score_difference' | 'ranked_probability_score_difference'
  /** The mean main loss of b minus that of a; null if probabilities are missing. */
  readonly mainLoss: number | null
  /** The mean log loss of b minus that of a; null if probabilities are missing. */
  readonly logLoss: number | null
  /** The 95 % intervals of the losses by their names in the document. */
  readonly intervals: Readonly<Record<string, Interval>>
  /** The interval of `mainLoss` at the level of `--significant`; `undefined` if there is none. */
  readonly strictInterval: Interval | undefined
  /** The reasons why figures are null or have no interval, by their names in the document. */
  readonly missingReasons: Readonly<Record<string, string>>
}

/** All figures of `svc compare`. */
export interface Difference {
  readonly compared: PairedRuns
  /** The number of bootstrap draws for 95 % intervals. */
  readonly draws: number
  readonly seed: number
  readonly questions: ReadonlyMap<string, QuestionDifference>
}

interface DifferenceOptions {
  /** The seed of the bootstrap. */
  readonly seed: number
  /** The value of `--significant`. */
  readonly significant: number | undefined
}

/** Computes the figures of two runs. Holm's correction is over the questions that have a p-value. */
export const measureDifference = (compared: PairedRuns, options: DifferenceOptions): Difference => {
  const { seed, significant } = options
  const draws = countDraws(compared.pairedRowCount)
  const labelled = [...compared.questions].filter(([, { pairs }]) => pairs.labelledCount > 0)
  const pValues = testQuestions(labelled)
  // Bonferroni's correction: each of the questions gets an equal part of the level of significance.
  const errorLevel = significant === undefined ? undefined : significant / labelled.length
  const questions = [...compared.questions].map(([id, question]) => {
    const { pairs } = question
    const { mcnemarP, holmP } = pValues.get(id) ?? { mcnemarP: null, holmP: null }
    const difference: QuestionDifference = {
      question,
      agreement: pairs.agreement(),
      kappa: pairs.kappa(),
      meanShift: pairs.meanShift(),
      ...(pairs.labelledCount > 0 && {
        labelled: { mcnemarP, holmP, ...measureLosses(pairs, { draws, seed, errorLevel }) },
      }),
    }
    return [id, difference] as const
  })
  return { compared, draws, seed, questions: new Map(questions) }
}

/** Computes the p-values of the questions whose rows are independent draws, by id. McNemar's test is not valid for others. */
const testQuestions = (
  labelled: ReadonlyArray<readonly [id: string, question: PairedQuestion]>,
): ReadonlyMap<string, { readonly mcnemarP: number; readonly holmP: number }> => {
  const independent = labelled.filter(([, { pairs }]) => pairs.explainDependence() === undefined)
  const mcnemarPs = independent.map(([, { pairs }]) =>
    computeMcnemarPValue(pairs.fixedCount, pairs.brokenCount),
  )
  const holmPs = adjustByHolm(mcnemarPs)
  return new Map(
    independent.map(([id], i) => [
      id,
      { mcnemarP: mcnemarPs[i] as number, holmP: holmPs[i] as number },
    ]),
  )
}

/** An interval needs at least this many draws in each tail. */
const minDrawsInTail = 20

/** Intervals that take more draws are not computed, because that would take minutes. */
const maxDraws = 1_000_000

interface LossPlan {
  /** The number of draws for 95 % intervals. */
  readonly draws: number
  readonly seed: number
  /** The probability that the strict interval may miss the true value; `undefined` without `--significant`. */
  readonly errorLevel: number | undefined
}

type LossFigures = Omit<LabelledDifference, 'mcnemarP' | 'holmP'>

/** Computes the mean differences of losses and their bootstrap intervals, or explains why they are missing. */
const measureLosses = (pairs: QuestionPairs, plan: LossPlan): LossFigures => {
  const mainLossName =
    pairs.type === 'score' ? 'ranked_probability_score_difference' : 'brier_score_difference'
  const lossNames = [mainLossName, 'log_loss_difference']
  const dependence = pairs.explainDependence()
  const testReasons = repeatReason(['mcnemar_p', 'mcnemar_p_holm'], dependence)
  const noIntervals = { intervals: {}, strictInterval: undefined }
  const losses = pairs.lossDifferences()
  const noLossesReason = explainNoLosses(pairs, losses)
  if (noLossesReason !== undefined) {
    const missingReasons = { ...testReasons, ...repeatReason(lossNames, noLossesReason) }
    return { mainLossName, mainLoss: null, logLoss: null, ...noIntervals, missingReasons }
  }
  const { mainLosses, logLosses, weights, units } = losses
  const figures = {
    mainLossName,
    mainLoss: weightedMean(mainLosses, weights),
    logLoss: weightedMean(logLosses, weights),
  } as const
  const fewRowsReason = explainFewRows(mainLosses.length, computeEffectiveSize(weights), units)
  if (fewRowsReason !== undefined) {
    const missingReasons = { ...testReasons, ...repeatReason(lossNames, fewRowsReason) }
    return { ...figures, ...noIntervals, missingReasons }
  }
  const intervals = drawIntervals(mainLossName, losses, plan)
  const constantLosses = lossNames.filter((name) => !(name in intervals))
  const missingReasons = {
    ...testReasons,
    ...repeatReason(constantLosses, 'its draws do not vary'),
  }
  // If rows are independent, --significant is checked by McNemar's test and needs no strict interval.
  if (plan.errorLevel === undefined || dependence === undefined)
    return { ...figures, intervals, strictInterval: undefined, missingReasons }
  const draws = Math.max(plan.draws, Math.ceil((2 * minDrawsInTail) / plan.errorLevel))
  if (draws > maxDraws) {
    const reason = `an interval of this level takes ${draws} draws`
    return {
      ...figures,
      intervals,
      strictInterval: undefined,
      missingReasons: { ...missingReasons, [mainLossName]: reason },
    }
  }
  const strictPlan = { draws, seed: plan.seed }
  const strictIntervals = drawIntervals(mainLossName, losses, strictPlan, 1 - plan.errorLevel)
  return { ...figures, intervals, strictInterval: strictIntervals[mainLossName], missingReasons }
}

/** Maps the name of each figure to the same reason. Empty if the reason is `undefined`. */
const repeatReason = (
  figureNames: ReadonlyArray<string>,
  reason: string | undefined,
): Readonly<Record<string, string>> => {
  const reasons: Record<string, string> = {}
  if (reason === undefined) return reasons
  for (const name of figureNames) reasons[name] = reason
  return reasons
}

/** Explains why the mean differences of losses are missing; `undefined` if there are losses of all labelled pairs. */
const explainNoLosses = (
  pairs: QuestionPairs,
  { mainLosses }: LossDifferences,
): string | undefined => {
  if (pairs.withoutProbabilities > 0) return explainMissingProbabilities(pairs)
  return mainLosses.length === 0 ? 'refusals have no probabilities' : undefined
}

/**
 * Computes the bootstrap intervals of the mean differences of losses at a confidence level, which is 0.95 by default. An interval
 * whose draws do not vary is absent.
 */
const drawIntervals = (
  mainLossName: LossFigures['mainLossName'],
  { mainLosses, logLosses, weights, units }: LossDifferences,
  { draws, seed }: Pick<LossPlan, 'draws' | 'seed'>,
  level?: number,
): Readonly<Record<string, Interval>> => {
  const measureDraw = (drawnWeights: Numbers) => ({
    [mainLossName]: weightedMean(mainLosses, drawnWeights),
    log_loss_difference: weightedMean(logLosses, drawnWeights),
  })
  return bootstrapIntervals(measureDraw, {
    weights,
    units,
    draws,
    random: createRandom(seed),
    level,
  })
}

/** Explains why figures that need probabilities are missing. */
export const explainMissingProbabilities = (pairs: QuestionPairs): string => {
  const { pairCount, withoutProbabilities } = pairs
  if (pairCount === 0) return 'nothing is paired'
  return `${withoutProbabilities} of ${formatCount(pairCount, 'pair', 'lacks', 'lack')} probabilities`
}
