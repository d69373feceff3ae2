import type { View } from './spelling'

/** Stands in place of a secret. */
export const redacted = '[redacted]'

/** A part of a text: from the first offset up to, but not including, the second. */
export type TextRange = readonly [from: number, to: number]

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

/** Finds all occurrences, in order. Overlapping ones become one range. */
export const findRanges = ({ units, borders }: Needle, view: View): ReadonlyArray<TextRange> => {
  const size = units.length
  const ranges: TextRange[] = []
  let matched = 0
  for (let at = 0; at < view.units.length; at++) {
    const unit = view.units[at]
    while (matched > 0 && units[matched] !== unit) matched = borders[matched - 1] ?? 0
    if (units[matched] === unit) matched += 1
    if (matched < size) continue
    const from = view.starts[at + 1 - size] ?? 0
    const to = view.ends[at] ?? 0
    const last = ranges.at(-1)
    if (last !== undefined && from < last[1]) ranges[ranges.length - 1] = [last[0], to]
    else ranges.push([from, to])
    matched = borders[size - 1] ?? 0
  }
  return ranges
}

/**
 * Returns the text up to `end`, with each range, or run of overlapping ranges, replaced by one `[redacted]`. A
 * range that begins before `end` is replaced as a whole.
 */
export const replaceRanges = (
  text: string,
  ranges: ReadonlyArray<TextRange>,
  end: number,
): string => {
  if (ranges.length === 0) return text.slice(0, end)
  let out = ''
  let done = 0
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (from >= end) break
    if (from >= done) out += `${text.slice(done, from)}${redacted}`
    done = Math.max(done, to)
  }
  return out + text.slice(done, Math.max(done, end))
}
