import type { Answer } from '../../codec/answer'
import { type CalibrationMap, correctRow, topOfYes } from './calibration-map'
import type { PolicyOutcome, UsablePolicy } from './policy'

const review: PolicyOutcome = { outcome: 'review', calibrated: null }

/**
 * Corrects the probabilities of an answer by the policy's map, and compares them with its cut. The outcome is
 * `review` without a cut, and for an answer that is missing, refused or of another type.
 */
export const applyQuestionPolicy = (
  { type, map, scale, cut: { at } }: Omit<UsablePolicy, 'apply'>,
  answer: Answer | undefined,
): PolicyOutcome => {
  if (map === null || answer?.type !== type) return review
  const outcomeOf = (value: number) => (at !== null && value >= at ? 'accept' : 'review')
  if (answer.type === 'noul') {
    const yes = correct(map, [answer.noul])[0] as number
    const calibrated = roundDigits(yes)
    return scale === 'noul'
      ? { outcome: outcomeOf(yes), calibrated }
      : { outcome: outcomeOf(topOfYes(yes)), decision: yes >= 0.5, calibrated }
  }
  if (answer.probabilities.length === 0) return review
  const corrected = correct(
    map,
    answer.probabilities.map(([, p]) => p),
  )
  const calibrated = answer.probabilities.map(
    ([label], k) => [label, roundDigits(corrected[k] as number)] as const,
  )
  return { outcome: outcomeOf(Math.max(...corrected)), calibrated }
}

const correct = (map: CalibrationMap, probabilities: ReadonlyArray<number>): Float64Array => {
  const values = Float64Array.from(probabilities)
  correctRow(map, values, 0, values.length)
  return values
}

/** Rounds to 12 significant digits, because the last bits of a logarithm differ between machines. */
const roundDigits = (p: number): number => Number(p.toPrecision(12))
