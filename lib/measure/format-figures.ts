import { type Draft, type DraftObject, entriesOf, isList } from '../codec/json/draft'
import { Literal } from '../codec/json/json'
import { formatInertMarkdown } from '../text/markdown'
import type { Interval } from './statistics/intervals'

/**
 * Rounds the numbers that svc computed to 12 significant digits, which hides rounding errors of sums. A `Literal` is a number from
 * the input and stays unchanged. Objects become maps without their `undefined` members.
 */
export const roundNumbers = (draft: Draft): Draft => {
  if (typeof draft === 'number') return Number(draft.toPrecision(12))
  if (draft instanceof Literal || typeof draft !== 'object' || draft === null) return draft
  if (isList(draft)) return draft.map(roundNumbers)
  const rounded = new Map<string, Draft>()
  // `isList` does not narrow what is left to an object.
  for (const [name, value] of entriesOf(draft as DraftObject))
    if (value !== undefined) rounded.set(name, roundNumbers(value))
  return rounded
}

/** Formats a figure with three decimals, a whole number without any, and `–` for null. */
export const formatFigure = (value: number | null): string => {
  if (value === null) return '–'
  return Number.isInteger(value) ? String(value) : value.toFixed(3)
}

/**
 * Formats a share, 0 to 1, in percent with two significant digits: `27 %`, or `0.31 %`. Above one half these are the digits of the
 * rest, so that two parts of a whole sum to 100 %: `99.69 %`. Only the shares 0 and 1 are `0 %` and `100 %`.
 */
export const formatShare = (share: number): string => `${formatPercentNumber(share)} %`

/** Formats two shares as a range: `24 to 30 %`. */
export const formatShareRange = ({ low, high }: Interval): string =>
  `${formatPercentNumber(low)} to ${formatShare(high)}`

/** The smallest percentage above 0 that svc prints. JavaScript prints smaller numbers with an exponent. */
const minPercent = 0.000_001

const formatPercentNumber = (share: number): string => {
  // Rounding errors of sums must not make 99.99999999999999 % of 100 %.
  const percent = Number((share * 100).toPrecision(12))
  const rest = Number((100 - percent).toPrecision(12))
  const smallerPart = Math.min(percent, rest)
  if (smallerPart <= 0) return percent < 50 ? '0' : '100'
  const rounded = Math.max(minPercent, Number(smallerPart.toPrecision(2)))
  // `toFixed` takes away the rounding error of the difference.
  return String(percent <= 50 ? rounded : Number((100 - rounded).toFixed(6)))
}

/** Formats a share, 0 to 1, in percent with one decimal, or with more digits if it would seem to be 0 or 1. */
export const formatTenthPercent = (share: number): string => {
  const tenths = (share * 100).toFixed(1)
  return tenths === '0.0' || tenths === '100.0' ? formatShare(share) : `${tenths} %`
}

/** Formats a difference of shares in percentage points with one decimal and its sign. */
export const formatSignedPoints = (difference: number): string => {
  const points = (difference * 100).toFixed(1)
  if (Number(points) === 0) return '0.0'
  return difference > 0 ? `+${points}` : points
}

/**
 * Formats the head of a job summary as Markdown: a title with `ok` or `FAIL`, the counts, and a list of the failed limits, each after
 * `word`, such as `not met`.
 */
export const formatSummaryHead = (
  command: string,
  counts: string,
  word: string,
  failedLimits: ReadonlyArray<string>,
): string => {
  const title = `# svc ${command}: ${failedLimits.length === 0 ? 'ok' : 'FAIL'}`
  const lines = failedLimits.map((text) => `- ${word}: ${formatInertMarkdown(text)}`)
  return [title, counts, ...(lines.length === 0 ? [] : [lines.join('\n')])].join('\n\n')
}
