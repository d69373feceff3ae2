import { type Draft, type DraftObject, entriesOf, isList } from '../codec/json/draft'
import { Literal } from '../codec/json/json'
import { formatInertMarkdown } from '../text/markdown'

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

/** Formats a share, 0 to 1, in whole percent. */
export const formatWholePercent = (share: number): string => `${Math.round(share * 100)} %`

/** Formats a share, 0 to 1, in percent with one decimal. */
export const formatTenthPercent = (share: number): string => `${(share * 100).toFixed(1)} %`

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
