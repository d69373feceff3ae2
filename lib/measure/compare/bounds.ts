import { type Allowance, isAllowed } from '../../gate/allowance'
import { threeDecimals } from '../text-table'
import type { Difference, QuestionDifference } from './document'

/** The limits on how far two runs may differ. */
export interface Bounds {
  /** `--max-flips`: the most decisions of a question that may differ. */
  readonly flips: { readonly text: string; readonly allowance: Allowance } | undefined
  readonly shift: number | undefined
  readonly significant: number | undefined
}

/** Describes each limit that is exceeded, question by question. R24 */
export const exceeded = (bounds: Bounds, { questions }: Difference): ReadonlyArray<string> =>
  [...questions].flatMap(([id, difference]) => [
    ...flips(id, bounds.flips, difference),
    ...shift(id, bounds.shift, difference),
    ...worse(id, bounds.significant, difference),
  ])

const flips = (
  id: string,
  most: Bounds['flips'],
  { question: { pairs } }: QuestionDifference,
): ReadonlyArray<string> =>
  most === undefined || isAllowed(most.allowance, pairs.flipped, pairs.paired)
    ? []
    : [`--max-flips ${most.text} (${id}: ${pairs.flipped} of ${pairs.paired} decisions differ)`]

const shift = (
  id: string,
  most: number | undefined,
  { meanShift }: QuestionDifference,
): ReadonlyArray<string> => {
  if (most === undefined || (meanShift !== null && meanShift <= most)) return []
  return [`--max-shift ${most} (${id}: mean_shift is ${threeDecimals(meanShift)})`]
}

const worse = (
  id: string,
  level: number | undefined,
  { question: { pairs }, labelled }: QuestionDifference,
): ReadonlyArray<string> => {
  if (level === undefined || labelled === undefined) return []
  if (pairs.broken <= pairs.fixed || labelled.holm >= level) return []
  const counts = `${pairs.broken} broken, ${pairs.fixed} fixed`
  return [`--significant ${level} (${id}: ${counts}, p ${Number(labelled.holm.toPrecision(3))})`]
}
