import type { Answer } from '../../codec/answer'
import { type CalibrationMap, correctRow, topOfYes } from './calibration-map'
import type { PolicyOutcome, UsablePolicy } from './policy'

const uncorrectedReview: PolicyOutcome = { outcome: 'review', calibrated: null }

/**
 * Corrects the probabilities of an answer by the map of a policy, and compares them with its cut. The outcome is `review` if the
 * policy has no map or cut, or if the answer is missing, refused or of another type.
 */
export const applyQuestionPolicy = (
  policy: Omit<UsablePolicy, 'apply'>,
  answer: Answer | undefined,
): PolicyOutcome => {
  const { type, map, scale } = policy
  const threshold = policy.cut.at
  if (map === null || answer?.type !== type) return uncorrectedReview
  const decide = (value: number) => (threshold !== null && value >= threshold ? 'accept' : 'review')
  if (answer.type === 'noul') {
    const yes = correct(map, [answer.noul])[0] as number
    const calibrated = roundDigits(yes)
    return scale === 'noul'
      ? { outcome: decide(yes), calibrated }
      : { outcome: decide(topOfYes(yes)), decision: yes >= 0.5, calibrated }
  }
  if (answer.probabilities.length === 0) return uncorrectedReview
  const corrected = correct(
    map,
    answer.probabilities.map(([, p]) => p),
  )
  const calibrated = answer.probabilities.map(
    ([label], index) => [label, roundDigits(corrected[index] as number)] as const,
  )
  return { outcome: decide(Math.max(...corrected)), calibrated }
}

const correct = (map: CalibrationMap, probabilities: ReadonlyArray<number>): Float64Array => {
  const values = Float64Array.from(probabilities)
  correctRow(map, values, 0, values.length)
  return values
}

/** Rounds to 12 significant digits, because the last bits of `Math.log` differ between machines. */
const roundDigits = (p: number): number => Number(p.toPrecision(12))
