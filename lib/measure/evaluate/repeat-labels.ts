import { formatWholePercent } from '../format-figures'
import type { LabelledRows } from '../rows/labelled-run'
import { wilsonInterval } from '../statistics/intervals'

/** The agreement of a person's labels of rows that were shown twice. */
export type RepeatAgreement = {
  /** The number of rows that were labelled twice. */
  readonly n: number
  /** The number of rows with the same label both times, and their share. */
  readonly same: number
  readonly share: number
  /** Wilson's 95 % interval of the share. */
  readonly low: number
  readonly high: number
  /** The accuracy that perfect answers would show, because labels have errors: between the share and its square root. */
  readonly ceiling: { readonly low: number; readonly high: number }
}

/** Measures the agreement of labels; `undefined` if no row was shown twice. */
export const measureRepeats = ({
  repeats: { n, same },
}: LabelledRows): RepeatAgreement | undefined => {
  if (n === 0) return undefined
  const share = same / n
  return {
    n,
    same,
    share,
    ...wilsonInterval(share, n),
    ceiling: { low: share, high: Math.sqrt(share) },
  }
}

/** With fewer rows that were shown twice, there is no sentence about the agreement. */
const minRepeats = 10

/** Describes the agreement of labels in a sentence; empty if too few rows were shown twice. */
export const describeRepeats = (rows: LabelledRows): string => {
  const again = measureRepeats(rows)
  if (again === undefined || again.n < minRepeats) return ''
  const { n, same, low, high, ceiling } = again
  if (same === n)
    return `${n} of ${n} rows got the same label again (surely ${formatWholePercent(low)} or more); the same mistake made twice agrees too.`
  return `Shown twice, ${same} of ${n} rows got the same label (surely ${formatWholePercent(low)} to ${formatWholePercent(high)}): by these labels even perfect answers would come out right in about ${formatWholePercent(ceiling.low)} to ${formatWholePercent(ceiling.high)}.`
}
