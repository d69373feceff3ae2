import { countDraws } from '../statistics/bootstrap'
import { adjustByHolm, computeMcnemarPValue } from '../statistics/hypotheses'
import type { AccuracyChange } from './labelled-pairs'
import { type LossFigures, measureLosses } from './measure-losses'
import type { ComparedQuestion, ComparedRuns } from './pair-runs'
import type { QuestionPairs } from './question-pairs'

/** The figures that compare the answers of two runs, a and b, to one question. */
export interface QuestionDifference {
  readonly question: ComparedQuestion
  /** The share of pairs with the same decision, by weight; null if no pair has a decision. */
  readonly agreement: number | null
  /** Cohen's kappa of the decisions; null if both runs always decide for the same label, or if no pair has a decision. */
  readonly kappa: number | null
  /** The mean total variation distance of the probabilities, from 0 to 1; null if probabilities are missing. */
  readonly meanShift: number | null
  /** Present if a has labels. */
  readonly labelled?: LabelledDifference
}

/** The figures that show which run is right, by the labels of a. */
export interface LabelledDifference extends LossFigures {
  /** `undefined` if an answer has no decision. */
  readonly change: AccuracyChange | undefined
  /** The p-value of McNemar's test; null if rows have weights or groups, since they are not independent draws then. */
  readonly mcnemarP: number | null
  /** `mcnemarP`, corrected by Holm's method for the number of questions that have a p-value. Null if `mcnemarP` is null. */
  readonly holmP: number | null
}

/** All figures of `svc compare`. */
export interface Difference {
  readonly compared: ComparedRuns
  /** The number of bootstrap draws for 95 % intervals. */
  readonly draws: number
  readonly seed: number
  readonly questions: ReadonlyMap<string, QuestionDifference>
}

/** Computes the figures of two runs. `significant` is the value of `--significant`. */
export const measureDifference = (
  compared: ComparedRuns,
  { seed, significant }: { readonly seed: number; readonly significant: number | undefined },
): Difference => {
  const draws = countDraws(compared.pairedRowCount)
  const labelled = [...compared.questions].filter(([, { pairs }]) => pairs.labelled.count > 0)
  const pValues = testQuestions(labelled)
  // Bonferroni's correction: each of the questions gets an equal part of the level of significance.
  const errorLevel = significant === undefined ? undefined : significant / labelled.length
  const questions = new Map<string, QuestionDifference>()
  for (const [id, question] of compared.questions) {
    const { pairs } = question
    const difference = {
      question,
      agreement: pairs.agreement(),
      kappa: pairs.kappa(),
      meanShift: pairs.meanShift(),
    }
    if (pairs.labelled.count === 0) {
      questions.set(id, difference)
      continue
    }
    // Questions whose rows are not independent draws have no p-values.
    const { mcnemarP, holmP } = pValues.get(id) ?? { mcnemarP: null, holmP: null }
    const losses = measureLosses(pairs, { draws, seed, errorLevel })
    const change = pairs.labelled.measureChange()
    const missingReasons = { ...explainMissing(pairs, change), ...losses.missingReasons }
    const labelledDifference = { ...losses, change, mcnemarP, holmP, missingReasons }
    questions.set(id, { ...difference, labelled: labelledDifference })
  }
  return { compared, draws, seed, questions }
}

/** Explains why accuracies, their change or p-values are missing, by their names in the document. */
const explainMissing = (
  pairs: QuestionPairs,
  change: AccuracyChange | undefined,
): Readonly<Record<string, string>> => {
  const reasons: Record<string, string> = {}
  const noChangeReason =
    change === undefined ? pairs.explainMissingProbabilities() : change.noIntervalReason
  if (change === undefined) reasons.accuracy = pairs.explainMissingProbabilities()
  if (noChangeReason !== undefined) reasons.change = noChangeReason
  const dependence = pairs.labelled.explainDependence()
  if (dependence !== undefined) {
    reasons.mcnemar_p = dependence
    reasons.mcnemar_p_holm = dependence
  }
  return reasons
}

/** Computes the p-values of the questions whose rows are independent draws, by id. McNemar's test is not valid for others. */
const testQuestions = (
  labelled: ReadonlyArray<readonly [id: string, question: ComparedQuestion]>,
): ReadonlyMap<string, { readonly mcnemarP: number; readonly holmP: number }> => {
  const independent = labelled.filter(
    ([, { pairs }]) => pairs.labelled.explainDependence() === undefined,
  )
  const mcnemarPs = independent.map(([, { pairs }]) =>
    computeMcnemarPValue(pairs.labelled.fixedCount, pairs.labelled.brokenCount),
  )
  const holmPs = adjustByHolm(mcnemarPs)
  return new Map(
    independent.map(([id], i) => [
      id,
      { mcnemarP: mcnemarPs[i] as number, holmP: holmPs[i] as number },
    ]),
  )
}
