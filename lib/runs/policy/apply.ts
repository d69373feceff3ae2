import type { Answer } from '../../codec/answer'
import { applyMap } from '../../measure/statistics/fits/map'
import { largest } from '../../measure/statistics/numbers'
import type { PolicyOutcome, UsablePolicy } from './policy'

const review: PolicyOutcome = { outcome: 'review', calibrated: null }

/**
 * Corrects the probabilities of an answer by the policy's map, and compares them with its cut. The outcome is
 * `review` without a cut, and for an answer that is missing, refused (P9) or of another type. R23
 */
export const applyPolicy = (
  { type, map, scale, cut: { at } }: Omit<UsablePolicy, 'apply'>,
  answer: Answer | undefined,
): PolicyOutcome => {
  if (map === null || answer?.type !== type) return review
  const outcomeOf = (value: number) => (at !== null && value >= at ? 'accept' : 'review')
  if (answer.type === 'noul') {
    const yes = applyMap(map, { values: [answer.noul], columns: 1 }, true).values[0] as number
    const calibrated = roundDigits(yes)
    return scale === 'noul'
      ? { outcome: outcomeOf(yes), calibrated }
      : { outcome: outcomeOf(Math.max(yes, 1 - yes)), decision: yes >= 0.5, calibrated }
  }
  if (answer.probabilities.length === 0) return review
  const values = answer.probabilities.map(([, p]) => p)
  const corrected = applyMap(map, { values, columns: values.length }, false).values
  const calibrated = answer.probabilities.map(
    ([label], k) => [label, roundDigits(corrected[k] as number)] as const,
  )
  return { outcome: outcomeOf(largest(corrected)), calibrated }
}

/** Rounds to 12 significant digits, because the last bits of a logarithm differ between machines. */
const roundDigits = (p: number): number => Number(p.toPrecision(12))
