import type { View } from './spelling'

/** Stands in place of a secret. */
export const redacted = '[redacted]'

/** A part of a text: from the first offset up to, but not including, the second. */
export type Span = readonly [from: number, to: number]

/**
 * A text to search for, with the table of the Knuth–Morris–Pratt algorithm, which makes the search linear even
 * on hostile texts.
 */
export interface Needle {
  readonly units: View['units']
  /** For each prefix, the length of its longest proper prefix that is also its suffix. */
  readonly borders: Uint32Array
}

/** Prepares the search for a text of at least one unit. */
export const prepareNeedle = (units: View['units']): Needle => {
  const borders = new Uint32Array(units.length)
  let length = 0
  for (let i = 1; i < units.length; i++) {
    while (length > 0 && units[i] !== units[length]) length = borders[length - 1] ?? 0
    if (units[i] === units[length]) length += 1
    borders[i] = length
  }
  return { units, borders }
}

/** Finds all occurrences, in order. Overlapping ones become one span. */
export const findSpans = ({ units, borders }: Needle, view: View): ReadonlyArray<Span> => {
  const size = units.length
  const spans: Span[] = []
  let matched = 0
  for (let at = 0; at < view.units.length; at++) {
    const unit = view.units[at]
    while (matched > 0 && units[matched] !== unit) matched = borders[matched - 1] ?? 0
    if (units[matched] === unit) matched += 1
    if (matched < size) continue
    const from = view.starts[at + 1 - size] ?? 0
    const to = view.ends[at] ?? 0
    const last = spans.at(-1)
    if (last !== undefined && from < last[1]) spans[spans.length - 1] = [last[0], to]
    else spans.push([from, to])
    matched = borders[size - 1] ?? 0
  }
  return spans
}

/**
 * Returns the text up to `end`, with each span, or run of overlapping spans, replaced by one `[redacted]`. A
 * span that begins before `end` is replaced as a whole.
 */
export const replaceSpans = (text: string, spans: ReadonlyArray<Span>, end: number): string => {
  if (spans.length === 0) return text.slice(0, end)
  let out = ''
  let done = 0
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    if (from >= end) break
    if (from >= done) out += `${text.slice(done, from)}${redacted}`
    done = Math.max(done, to)
  }
  return out + text.slice(done, Math.max(done, end))
}
