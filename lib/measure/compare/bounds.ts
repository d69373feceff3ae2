import { formatCount } from '../../failure/text/table'
import { type Allowance, isAllowed } from '../../runs/gate/allowance'
import { formatFigure } from '../format-figures'
import type { Difference, LabelledDifference, QuestionDifference } from './difference'

/** The limits on how far two runs may differ. */
export interface CompareBounds {
  /** `--max-flips`: the most decisions of a question that may differ. */
  readonly flips: { readonly text: string; readonly allowance: Allowance } | undefined
  readonly shift: number | undefined
  readonly significant: number | undefined
}

/** Describes each limit that is exceeded, question by question. */
export const findExceeded = (
  bounds: CompareBounds,
  { questions }: Difference,
): ReadonlyArray<string> =>
  [...questions].flatMap(([id, difference]) => [
    ...judgeFlips(id, bounds.flips, difference),
    ...judgeShift(id, bounds.shift, difference),
    ...judgeLoss(id, bounds.significant, difference),
  ])

const judgeFlips = (
  id: string,
  most: CompareBounds['flips'],
  { question: { pairs }, agreement }: QuestionDifference,
): ReadonlyArray<string> =>
  most === undefined || areAllowed(most.allowance, pairs, agreement)
    ? []
    : [
        `--max-flips ${most.text} (${id}: ${pairs.flipped} of ${formatCount(pairs.paired, 'decision', 'differs', 'differ')})`,
      ]

/** True if the bound allows these flips. It is a number of flips, or a share of the weight of the pairs. */
const areAllowed = (
  allowance: Allowance,
  { flipped, paired }: QuestionDifference['question']['pairs'],
  agreement: number | null,
): boolean =>
  'rows' in allowance
    ? isAllowed(allowance, flipped, paired)
    : isAllowed(allowance, 1 - (agreement ?? 1), 1)

const judgeShift = (
  id: string,
  most: number | undefined,
  { meanShift }: QuestionDifference,
): ReadonlyArray<string> => {
  if (most === undefined || (meanShift !== null && meanShift <= most)) return []
  return [`--max-shift ${most} (${id}: mean_shift is ${formatFigure(meanShift)})`]
}

const judgeLoss = (
  id: string,
  level: number | undefined,
  { question: { pairs }, labelled }: QuestionDifference,
): ReadonlyArray<string> => {
  if (level === undefined || labelled === undefined) return []
  if (labelled.holm === null) return judgeInterval(id, level, labelled)
  if (pairs.broken <= pairs.fixed || labelled.holm >= level) return []
  const counts = `${pairs.broken} broken, ${pairs.fixed} fixed`
  return [`--significant ${level} (${id}: ${counts}, p ${Number(labelled.holm.toPrecision(3))})`]
}

/**
 * Judges rows with weights or groups by the interval of the first loss: b is worse if the whole interval is above 0.
 * Without an interval the bound is not met.
 */
const judgeInterval = (
  id: string,
  level: number,
  { name, strict, why }: LabelledDifference,
): ReadonlyArray<string> => {
  if (strict === undefined) return [`--significant ${level} (${id}: ${name}: ${why[name]})`]
  if (strict.low <= 0) return []
  const [low, high] = [strict.low, strict.high].map(formatFigure)
  return [`--significant ${level} (${id}: ${name} is from ${low} to ${high})`]
}
