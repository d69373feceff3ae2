import { formatCount } from '../../failure/text/table'
import { type Allowance, isAllowed } from '../../runs/gate/allowance'
import { formatFigure } from '../format-figures'
import type { Difference, LabelledDifference, QuestionDifference } from './difference'

/** The limits on how far run b may differ from run a; `undefined` for a flag that is not passed. */
export interface CompareBounds {
  /** `--max-flips`: the maximum number, or share, of a question's decisions that may differ. `text` is the value of the flag. */
  readonly maxFlips: { readonly text: string; readonly allowance: Allowance } | undefined
  /** `--max-shift`: the maximum mean shift of a question's probabilities, from 0 to 1. */
  readonly maxShift: number | undefined
  /** `--significant`: the level of significance at which b must not be worse than a, between 0 and 1. */
  readonly significanceLevel: number | undefined
}

/** Describes each limit that is exceeded, question by question. */
export const describeExceeded = (
  bounds: CompareBounds,
  { questions }: Difference,
): ReadonlyArray<string> =>
  [...questions].flatMap(([id, difference]) => [
    ...checkFlips(id, bounds.maxFlips, difference),
    ...checkShift(id, bounds.maxShift, difference),
    ...checkSignificance(id, bounds.significanceLevel, difference),
  ])

/** Compares the number of flips with an allowance of rows, or their share of the weight of all pairs with an allowed share. */
const checkFlips = (
  id: string,
  maxFlips: CompareBounds['maxFlips'],
  { question, agreement }: QuestionDifference,
): ReadonlyArray<string> => {
  if (maxFlips === undefined) return []
  const { flipCount, pairCount } = question.pairs
  // Without any decision the agreement is null, and nothing has flipped.
  const flippedShare = 1 - (agreement ?? 1)
  const areFlipsAllowed =
    'rows' in maxFlips.allowance
      ? isAllowed(maxFlips.allowance, flipCount, pairCount)
      : isAllowed(maxFlips.allowance, flippedShare, 1)
  if (areFlipsAllowed) return []
  const flips = `${flipCount} of ${formatCount(pairCount, 'decision', 'differs', 'differ')}`
  return [`--max-flips ${maxFlips.text} (${id}: ${flips})`]
}

const checkShift = (
  id: string,
  maxShift: number | undefined,
  { meanShift }: QuestionDifference,
): ReadonlyArray<string> => {
  if (maxShift === undefined) return []
  // A shift that cannot be measured exceeds the limit too.
  const isWithin = meanShift !== null && meanShift <= maxShift
  return isWithin
    ? []
    : [`--max-shift ${maxShift} (${id}: mean_shift is ${formatFigure(meanShift)})`]
}

/** Checks that b is not significantly worse than a. b is worse if it breaks more rows than it fixes. */
const checkSignificance = (
  id: string,
  level: number | undefined,
  { question, labelled }: QuestionDifference,
): ReadonlyArray<string> => {
  const { brokenCount, fixedCount } = question.pairs
  if (level === undefined || labelled === undefined) return []
  const { holmP } = labelled
  if (holmP === null) return checkLossInterval(id, level, labelled)
  const isSignificantlyWorse = brokenCount > fixedCount && holmP < level
  if (!isSignificantlyWorse) return []
  const counts = `${brokenCount} broken, ${fixedCount} fixed`
  return [`--significant ${level} (${id}: ${counts}, p ${Number(holmP.toPrecision(3))})`]
}

/**
 * Checks rows with weights or groups, for which McNemar's test is not valid, by the interval of the main loss: b is worse if the
 * whole interval is above 0. A missing interval exceeds the limit too.
 */
const checkLossInterval = (
  id: string,
  level: number,
  { mainLossName: name, strictInterval, missingReasons }: LabelledDifference,
): ReadonlyArray<string> => {
  if (strictInterval === undefined)
    return [`--significant ${level} (${id}: ${name}: ${missingReasons[name]})`]
  if (strictInterval.low <= 0) return []
  const low = formatFigure(strictInterval.low)
  const high = formatFigure(strictInterval.high)
  return [`--significant ${level} (${id}: ${name} is from ${low} to ${high})`]
}
