import type { Draft } from '../../codec/json/draft'
import { roundNumbers } from '../format-figures'
import type { Difference, QuestionDifference } from './difference'
import type { AccuracyChange } from './labelled-pairs'
import type { ComparedRuns } from './pair-runs'

/** Encodes the document of `svc compare`. */
export const encodeDifference = ({ compared, draws, seed, questions }: Difference): Draft =>
  roundNumbers({
    rows: compared.rowCounts,
    paired: compared.pairedRowCount,
    bootstrap: { draws, seed },
    questions: new Map(
      [...questions].map(([id, difference]) => [id, encodeQuestion(difference, compared)]),
    ),
  })

const encodeQuestion = (difference: QuestionDifference, { models }: ComparedRuns): Draft => {
  const { question, agreement, kappa, meanShift, labelled } = difference
  const { pairs, noise } = question
  return {
    type: pairs.type ?? 'refusal',
    paired: pairs.pairCount,
    unpaired: pairs.unpaired,
    models,
    agreement,
    kappa,
    flipped: pairs.flipCount,
    flips: pairs.flips,
    mean_shift: meanShift,
    noise: noise.a === null && noise.b === null ? undefined : noise,
    ...(labelled && {
      labelled: pairs.labelled.count,
      ...encodeChange(labelled.change),
      fixed: pairs.labelled.fixedCount,
      broken: pairs.labelled.brokenCount,
      mcnemar_p: labelled.mcnemarP,
      mcnemar_p_holm: labelled.holmP,
      [labelled.mainLossName]: labelled.mainLossDifference,
      log_loss_difference: labelled.logLossDifference,
      intervals: labelled.intervals,
    }),
    why: { ...explainNulls(difference), ...labelled?.missingReasons },
  }
}

/** Explains why figures are null, by the name of the figure. */
const explainNulls = (difference: QuestionDifference): Readonly<Record<string, string>> => {
  const { pairCount, undecidedCount, withoutProbabilities } = difference.question.pairs
  const missingReason = difference.question.pairs.explainMissingProbabilities()
  const hasNoDecision = pairCount === undecidedCount
  const reasons: Record<string, string> = {}
  if (hasNoDecision) reasons.agreement = missingReason
  if (difference.kappa === null)
    reasons.kappa = hasNoDecision ? missingReason : 'both runs decide for the same label throughout'
  if (difference.meanShift === null) {
    const areAllRefusals = pairCount > 0 && withoutProbabilities === 0
    reasons.mean_shift = areAllRefusals ? 'refusals have no probabilities' : missingReason
  }
  return reasons
}

/** Encodes both accuracies and their change. Both are null if they cannot be measured, and the change also if it has no interval. */
const encodeChange = (change: AccuracyChange | undefined) => {
  if (change === undefined) return { accuracy: null, change: null }
  const { a, b, difference, interval } = change
  return { accuracy: { a, b }, change: interval === undefined ? null : { difference, ...interval } }
}
