import { formatWholePercent } from '../format-figures'
import type { LabelledRows } from '../rows/labelled-run'
import { wilson } from '../statistics/intervals'

/** The agreement of people with their own first label when a row was shown a second time. */
export type Repeated = {
  readonly n: number
  readonly same: number
  readonly share: number
  /** Wilson's 95 % interval of the share. */
  readonly low: number
  readonly high: number
  /** The share of rows in which even perfect answers would be right by these labels. */
  readonly ceiling: { readonly low: number; readonly high: number }
}

/** Measures how often labels were the same again; `undefined` if no row was shown twice. */
export const measureAgain = ({ again: { n, same } }: LabelledRows): Repeated | undefined => {
  if (n === 0) return undefined
  const share = same / n
  return { n, same, share, ...wilson(share, n), ceiling: { low: share, high: Math.sqrt(share) } }
}

/** With fewer rows shown twice, no sentence is written about them. */
const minShown = 10

/** Says in a sentence how often labels were the same again. Empty if too few rows were shown twice. */
export const describeAgain = (rows: LabelledRows): string => {
  const again = measureAgain(rows)
  if (again === undefined || again.n < minShown) return ''
  const { n, same, low, high, ceiling } = again
  if (same === n)
    return `${n} of ${n} rows got the same label again (surely ${formatWholePercent(low)} or more); the same mistake made twice agrees too.`
  return `Shown twice, ${same} of ${n} rows got the same label (surely ${formatWholePercent(low)} to ${formatWholePercent(high)}): by these labels even perfect answers would come out right in about ${formatWholePercent(ceiling.low)} to ${formatWholePercent(ceiling.high)}.`
}
