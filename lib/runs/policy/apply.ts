import type { Answer } from '../../codec/answer'
import { calibrateRow, topOfYes } from './calibration-map'
import type { CalibrationMap, PolicyOutcome, UsablePolicy } from './policy'

/** The outcome of an answer that the policy cannot judge. */
const uncalibratedReview: PolicyOutcome = { outcome: 'review', calibrated: null }

/**
 * Judges an answer. Calibrates its probabilities by the map of the policy. Accepts the answer if the largest calibrated probability is
 * at least the cut. On the scale `noul`, it compares the probability of a yes instead. Any other answer goes to review. So does every
 * answer if the policy has no map or no cut, and an answer that is missing, refused, of another type or without probabilities.
 */
export const applyQuestionPolicy = (
  policy: Omit<UsablePolicy, 'apply'>,
  answer: Answer | undefined,
): PolicyOutcome => {
  const { type, map, scale, cut } = policy
  if (map === null || answer?.type !== type) return uncalibratedReview
  const decide = (value: number) => (cut.at !== null && value >= cut.at ? 'accept' : 'review')
  // A yes/no question. It has one probability, so `calibrate` returns one.
  if (answer.type === 'noul') {
    const calibrated = calibrate(map, [answer.noul])[0] as number
    return scale === 'noul'
      ? { outcome: decide(calibrated), calibrated }
      : { outcome: decide(topOfYes(calibrated)), decision: calibrated >= 0.5, calibrated }
  }
  if (answer.probabilities.length === 0) return uncalibratedReview
  const receivedProbabilities = answer.probabilities.map(([, probability]) => probability)
  const probabilities = calibrate(map, receivedProbabilities)
  const calibrated = answer.probabilities.map(
    ([label], index) => [label, probabilities[index] as number] as const,
  )
  return { outcome: decide(Math.max(...probabilities)), calibrated }
}

const calibrate = (map: CalibrationMap, probabilities: ReadonlyArray<number>): Float64Array => {
  const values = Float64Array.from(probabilities)
  calibrateRow(map, values, 0, values.length)
  return values
}
