import { max, min, nice, ticks } from 'd3-array'
import { format } from 'd3-format'

/** An axis of a diagram: the range of its values, and its ticks with their labels. */
export interface Scale {
  readonly low: number
  readonly high: number
  readonly ticks: ReadonlyArray<{ readonly value: number; readonly label: string }>
}

/** About this many ticks divide an axis. */
const tickCount = 5

const createScale = (low: number, high: number, formatTick: (value: number) => string): Scale => ({
  low,
  high,
  ticks: ticks(low, high, tickCount).map((value) => ({ value, label: formatTick(value) })),
})

/** Formats a share, 0 to 1, with as few decimals as the distance of ticks needs: `5 %`, `2.5 %`. */
const formatPercentTick = (share: number): string =>
  `${format('.4~f')(Number((share * 100).toPrecision(6)))} %`

/** The scale of shares from 0 % to 100 %. */
export const fullShareScale: Scale = createScale(0, 1, formatPercentTick)

/** The minimum length of a fitted scale of shares. On a shorter one, differences by chance would look large. */
const minShareRange = 0.1

/** Creates a scale of shares that is as long as the values need. It stays within 0 and 1, and ends at ticks. */
export const fitShareScale = (shares: ReadonlyArray<number>): Scale => {
  const lowest = min(shares) ?? 0
  const highest = max(shares) ?? 1
  const missing = Math.max(0, minShareRange - (highest - lowest))
  // The missing length goes to the end that has room.
  const high = Math.min(1, highest + missing)
  const low = Math.max(0, Math.min(lowest, high - minShareRange))
  const [niceLow, niceHigh] = nice(low, high, tickCount)
  return createScale(Math.max(0, niceLow), Math.min(1, niceHigh), formatPercentTick)
}

/** Creates a scale of amounts of money from 0 to `highest`, which is above 0. */
export const fitMoneyScale = (highest: number): Scale => {
  const [low, high] = nice(0, highest, tickCount)
  const [first = 0, second = high] = ticks(low, high, tickCount)
  // As many decimals as the distance of two ticks needs, but at least those of cents.
  const decimals = Math.max(2, -Math.floor(Math.log10(second - first)))
  return createScale(low, high, format(`,.${decimals}f`))
}

/** The maximum number of decimals of an amount of money. */
const maxMoneyDecimals = 6

/**
 * Creates a function that formats amounts of money with the same number of decimals: in cents, or so that the smallest amount above 0 has
 * two significant digits.
 */
export const createMoneyFormat = (amounts: ReadonlyArray<number>): ((amount: number) => string) => {
  const smallest = min(amounts.filter((amount) => amount > 0)) ?? 1
  const decimals = Math.max(2, 1 - Math.floor(Math.log10(smallest)))
  return format(`,.${Math.min(maxMoneyDecimals, decimals)}f`)
}
