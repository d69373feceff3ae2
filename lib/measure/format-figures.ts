import { type Draft, entriesOf, isList } from '../codec/json/draft'
import { Literal } from '../codec/json/json'

/** The precision of figures in documents. It is low enough to hide rounding errors of sums. */
const significantDigits = 12

/** Rounds the numbers that svc computed to `significantDigits`. A `Literal` is a number from the input and stays unchanged. */
export const roundNumbers = (draft: Draft): Draft => {
  if (typeof draft === 'number') return Number(draft.toPrecision(significantDigits))
  if (draft instanceof Literal || typeof draft !== 'object' || draft === null) return draft
  if (isList(draft)) return draft.map(roundNumbers)
  const rounded = new Map<string, Draft>()
  for (const [name, value] of entriesOf(draft as ReadonlyMap<string, Draft>))
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
