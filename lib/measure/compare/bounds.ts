import { type Allowance, isAllowed } from '../../runs/gate/allowance'
import { formatCount } from '../../text/table'
import { formatFigure, formatSignedPoints } from '../format-figures'
import type { Difference, LabelledDifference, QuestionDifference } from './difference'

/** The limits on how far run b may differ from run a; `undefined` for a flag that is not passed. */
export interface CompareBounds {
  /** `--max-flips`: the maximum number, or share, of a question's decisions that may differ. `text` is the value of the flag. */
  readonly maxFlips: { readonly text: string; readonly allowance: Allowance } | undefined
  /** `--max-shift`: the maximum mean shift of a question's probabilities, from 0 to 1. */
  readonly maxShift: number | undefined
  /** `--significant`: the level of significance at which b must not be worse than a, between 0 and 1. */
  readonly significanceLevel: number | undefined
  /** `--margin`: the accuracy that b may lose, from 0 to below 1. The labels must show with 95 % confidence that it loses no more. */
  readonly margin: number | undefined
}

/** Describes each limit that is exceeded, question by question. */
export const describeExceeded = (
  { maxFlips, maxShift, significanceLevel, margin }: CompareBounds,
  { questions }: Difference,
): ReadonlyArray<string> =>
  [...questions].flatMap(([id, difference]) =>
    [
      maxFlips && explainFlips(id, maxFlips, difference),
      maxShift === undefined ? undefined : explainShift(id, maxShift, difference),
      significanceLevel === undefined ? undefined : explainWorse(id, significanceLevel, difference),
      margin === undefined ? undefined : explainLoss(id, margin, difference),
    ].filter((text) => text !== undefined),
  )

/**
 * Explains that too many decisions differ (have flipped); `undefined` if the allowance permits them. The allowance is a number of rows,
 * or a share of the weight of all pairs.
 */
const explainFlips = (
  id: string,
  { text, allowance }: NonNullable<CompareBounds['maxFlips']>,
  { question, agreement }: QuestionDifference,
): string | undefined => {
  const { flipCount, pairCount } = question.pairs
  // Without any decision the agreement is null, and nothing has flipped.
  const flippedShare = 1 - (agreement ?? 1)
  const areFlipsAllowed =
    'rows' in allowance
      ? isAllowed(allowance, flipCount, pairCount)
      : isAllowed(allowance, flippedShare, 1)
  if (areFlipsAllowed) return undefined
  const flips = `${flipCount} of ${formatCount(pairCount, 'decision', 'differs', 'differ')}`
  return `--max-flips ${text} (${id}: ${flips})`
}

/** Explains that the mean shift is too large, or cannot be measured; `undefined` if it is within the limit. */
const explainShift = (
  id: string,
  maxShift: number,
  { meanShift }: QuestionDifference,
): string | undefined =>
  meanShift !== null && meanShift <= maxShift
    ? undefined
    : `--max-shift ${maxShift} (${id}: mean_shift is ${formatFigure(meanShift)})`

/**
 * Explains that b is significantly worse than a: more rows are right only in a (broken) than only in b (fixed). Without a p-value, compares
 * the losses instead. `undefined` if b is not significantly worse, or without labels.
 */
const explainWorse = (
  id: string,
  level: number,
  { question, labelled }: QuestionDifference,
): string | undefined => {
  const { brokenCount, fixedCount } = question.pairs.labelled
  if (labelled === undefined) return undefined
  const { holmP } = labelled
  if (holmP === null) return explainWorseLoss(id, level, labelled)
  const isSignificantlyWorse = brokenCount > fixedCount && holmP < level
  const counts = `${brokenCount} broken, ${fixedCount} fixed`
  return isSignificantlyWorse
    ? `--significant ${level} (${id}: ${counts}, p ${Number(holmP.toPrecision(3))})`
    : undefined
}

/**
 * Explains that b is significantly worse in rows with weights or groups, for which McNemar's test is not valid: the whole interval
 * of the difference of the main loss is above 0. A missing interval also exceeds the limit. `undefined` if the interval begins at or
 * below 0.
 */
const explainWorseLoss = (
  id: string,
  level: number,
  { mainLossName, strictInterval, missingReasons }: LabelledDifference,
): string | undefined => {
  if (strictInterval === undefined)
    return `--significant ${level} (${id}: ${mainLossName}: ${missingReasons[mainLossName]})`
  if (strictInterval.low <= 0) return undefined
  const low = formatFigure(strictInterval.low)
  const high = formatFigure(strictInterval.high)
  return `--significant ${level} (${id}: ${mainLossName} is from ${low} to ${high})`
}

/**
 * Explains that the labels do not show that b loses at most `margin` of accuracy: the lower bound of the change is below it, or
 * the change has no interval. `undefined` if they show it, or without labels.
 */
const explainLoss = (
  id: string,
  margin: number,
  { labelled }: QuestionDifference,
): string | undefined => {
  if (labelled === undefined) return undefined
  const { change, missingReasons } = labelled
  if (change?.lowerBound === undefined)
    return `--margin ${margin} (${id}: change: ${missingReasons.change})`
  return change.lowerBound >= -margin
    ? undefined
    : `--margin ${margin} (${id}: the accuracy changes by ${formatSignedPoints(change.difference)} points, surely by at least ${formatSignedPoints(change.lowerBound)})`
}
