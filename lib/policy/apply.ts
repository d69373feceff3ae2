import type { Answer } from '../codec/answer'
import { applyMap, yesNoTable } from '../statistics/fits/map'
import { largest } from '../statistics/numbers'
import type { PolicyOutcome, QuestionPolicy } from './policy'

const review: PolicyOutcome = { outcome: 'review', calibrated: null }

/**
 * Corrects the probabilities of an answer by the policy's map, and compares them with its cut. The outcome is
 * `review` without a cut, and for an answer that is missing or has another type. R23
 */
export const applyPolicy = (
  { type, map, cut: { at } }: QuestionPolicy,
  answer: Answer | undefined,
): PolicyOutcome => {
  if (
    map === null ||
    answer === undefined ||
    answer.type === 'other' ||
    answer.type === 'refusal' ||
    answer.type !== type
  )
    return review
  const outcome = (scale: number) => (at !== null && scale >= at ? 'accept' : 'review')
  if (answer.type === 'noul') {
    const yes = applyMap(map, yesNoTable([answer.noul]), true).values[1] as number
    return { outcome: outcome(yes), calibrated: roundDigits(yes) }
  }
  if (answer.probabilities.length === 0) return review
  const values = answer.probabilities.map(([, p]) => p)
  const corrected = applyMap(map, { values, columns: values.length }, false).values
  const calibrated = answer.probabilities.map(
    ([label], k) => [label, roundDigits(corrected[k] as number)] as const,
  )
  return { outcome: outcome(largest(corrected)), calibrated }
}

/** Rounds to 12 significant digits, because the last bits of a logarithm differ between machines. */
const roundDigits = (p: number): number => Number(p.toPrecision(12))
