import { leadOf } from '../../codec/probabilities'
import type { RunRecord } from '../../run/decode'
import { isAnswered } from '../../run/outcome'
import { decisionOf, isKnown, type KnownAnswer } from '../decision'

/** The margin of an answer; |2p − 1| for a noul. R25 */
const marginOf = (answer: KnownAnswer): number | undefined =>
  answer.type === 'noul' ? Math.abs(2 * answer.noul - 1) : leadOf(answer.probabilities)?.margin

/** Measures the uncertainty of a row by margin: minus the smallest margin of its answers, from −1 (certain) to 0. R25 */
export const measureDoubt = ({ outcome }: RunRecord): number => {
  let smallest = 1
  if (isAnswered(outcome))
    for (const answer of outcome.answers.values())
      if (isKnown(answer)) smallest = Math.min(smallest, marginOf(answer) ?? 1)
  return -smallest
}

/**
 * Measures the uncertainty of a row by disagreement: the largest share of differing decisions among the repetitions of a
 * question, or among its `orders`; 0 to 1. `undefined` where it has neither. R13, R25
 */
export const measureDisagreement = (
  first: RunRecord,
  repeats: ReadonlyArray<RunRecord>,
): number | undefined => {
  if (!isAnswered(first.outcome)) return undefined
  let largest: number | undefined
  for (const [id, answer] of first.outcome.answers) {
    if (!isKnown(answer)) continue
    const others = repeats.flatMap(({ outcome }) => {
      const other = isAnswered(outcome) ? outcome.answers.get(id) : undefined
      return other !== undefined && isKnown(other) ? [decisionOf(other)] : []
    })
    const decided = decisionOf(answer)
    const differing = others.filter((other) => other !== decided).length
    if (others.length > 0) largest = Math.max(largest ?? 0, differing / others.length)
    if (answer.type === 'choice' && answer.orders !== undefined && answer.orders.n > 0)
      largest = Math.max(largest ?? 0, answer.orders.flips / answer.orders.n)
  }
  return largest
}
