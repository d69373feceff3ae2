import { formatCount } from '../../failure/text/table'
import { type Allowance, isAllowed } from '../../runs/gate/allowance'
import { formatFigure } from '../format-figures'
import type { Difference, LabelledDifference, QuestionDifference } from './difference'

/** The limits on how far two runs may differ. */
export interface CompareBounds {
  /** `--max-flips`: the maximum number, or share, of a question's decisions that may differ. */
  readonly flips: { readonly text: string; readonly allowance: Allowance } | undefined
  /** `--max-shift`: the maximum mean shift of probabilities, from 0 to 1. */
  readonly shift: number | undefined
  /** `--significant`: the level of significance at which b must not be worse than a, between 0 and 1. */
  readonly significant: number | undefined
}

/** Describes each limit that is exceeded, question by question. */
export const findExceeded = (
  bounds: CompareBounds,
  { questions }: Difference,
): ReadonlyArray<string> =>
  [...questions].flatMap(([id, difference]) => [
    ...checkFlips(id, bounds.flips, difference),
    ...checkShift(id, bounds.shift, difference),
    ...checkLoss(id, bounds.significant, difference),
  ])

const checkFlips = (
  id: string,
  max: CompareBounds['flips'],
  { question, agreement }: QuestionDifference,
): ReadonlyArray<string> => {
  const { pairs } = question
  if (max === undefined || areAllowed(max.allowance, pairs, agreement)) return []
  return [
    `--max-flips ${max.text} (${id}: ${pairs.flipped} of ${formatCount(pairs.paired, 'decision', 'differs', 'differ')})`,
  ]
}

/** Returns `true` if the flips do not exceed an allowance. A share is compared with the share of the pairs' weight. */
const areAllowed = (
  allowance: Allowance,
  { flipped, paired }: QuestionDifference['question']['pairs'],
  agreement: number | null,
): boolean =>
  'rows' in allowance
    ? isAllowed(allowance, flipped, paired)
    : isAllowed(allowance, 1 - (agreement ?? 1), 1)

const checkShift = (
  id: string,
  max: number | undefined,
  { meanShift }: QuestionDifference,
): ReadonlyArray<string> => {
  if (max === undefined || (meanShift !== null && meanShift <= max)) return []
  return [`--max-shift ${max} (${id}: mean_shift is ${formatFigure(meanShift)})`]
}

const checkLoss = (
  id: string,
  level: number | undefined,
  { question, labelled }: QuestionDifference,
): ReadonlyArray<string> => {
  const { pairs } = question
  if (level === undefined || labelled === undefined) return []
  if (labelled.holm === null) return checkInterval(id, level, labelled)
  if (pairs.broken <= pairs.fixed || labelled.holm >= level) return []
  const counts = `${pairs.broken} broken, ${pairs.fixed} fixed`
  return [`--significant ${level} (${id}: ${counts}, p ${Number(labelled.holm.toPrecision(3))})`]
}

/**
 * Checks rows with weights or groups, for which McNemar's test is not valid, by the interval of the main loss: b is worse if the
 * whole interval is above 0. A missing interval exceeds the limit too.
 */
const checkInterval = (
  id: string,
  level: number,
  { name, strictInterval, why }: LabelledDifference,
): ReadonlyArray<string> => {
  if (strictInterval === undefined) return [`--significant ${level} (${id}: ${name}: ${why[name]})`]
  if (strictInterval.low <= 0) return []
  const low = formatFigure(strictInterval.low)
  const high = formatFigure(strictInterval.high)
  return [`--significant ${level} (${id}: ${name} is from ${low} to ${high})`]
}
