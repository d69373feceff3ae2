import type { View } from './spelling'

/** What stands where a secret would. */
export const redacted = '[redacted]'

/** A part of a text, from the first offset to before the second. */
export type Span = readonly [from: number, to: number]

/** What is sought, with the table of Knuth, Morris and Pratt: it makes the search linear on hostile text too. */
export interface Needle {
  readonly units: View['units']
  /** Of each prefix, the length of its longest proper prefix that is also its suffix. */
  readonly borders: Uint32Array
}

/** Of one unit at least. */
export const needle = (units: View['units']): Needle => {
  const borders = new Uint32Array(units.length)
  let length = 0
  for (let i = 1; i < units.length; i++) {
    while (length > 0 && units[i] !== units[length]) length = borders[length - 1] ?? 0
    if (units[i] === units[length]) length += 1
    borders[i] = length
  }
  return { units, borders }
}

/** Where a text holds the needle, in order; what overlaps is one span. */
export const spansOf = ({ units, borders }: Needle, view: View): ReadonlyArray<Span> => {
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

/** The text up to `end`, with one `[redacted]` for all spans that overlap; a span that begins there is whole. */
export const withoutSpans = (text: string, spans: ReadonlyArray<Span>, end: number): string => {
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
