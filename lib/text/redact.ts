import { asItStands, type View, withoutJsonEscapes, withoutPercentEncoding } from './spelling'

/** What stands where a secret would. */
export const redacted = '[redacted]'

/** Puts `[redacted]` where a text holds a secret. */
export interface Redact {
  (text: string): string
  /** The beginning of the redacted text: `most` characters at least, or all there are. Reads little more. */
  readonly beginning: (text: string, most: number) => string
}

/** Shorter secrets are found in ordinary words: looking for them would garble text and hide nothing. D52 */
const shortest = 4

/** Most characters that spell one: `\u0025\u0036\u0031` is the letter a, encoded and then escaped. */
const longestSpelling = 36

/** The ways in which a text is read: as it stands, and with one or two layers of encoding undone. */
const readings = (plain: View, hasEscapes: boolean): ReadonlyArray<View> => {
  if (!hasEscapes) return [plain]
  const once = [withoutJsonEscapes(plain), withoutPercentEncoding(plain)]
  return [plain, ...once, ...once.map(withoutJsonEscapes), ...once.map(withoutPercentEncoding)]
}

/** Without these every reading gives the same. */
const hasEscapes = (text: string): boolean => text.includes('\\') || text.includes('%')

/** A part of a text, from the first offset to before the second. */
type Span = readonly [from: number, to: number]

/**
 * Finds secrets of four characters or more as they are, JSON-escaped, percent-encoded (in part or wholly), in
 * either letter case and in mixtures of these. Time and memory grow with the text, whatever it says. D52
 */
export const createRedact = (secrets: ReadonlyArray<string>): Redact => {
  const wanted = [...new Set(secrets)].filter((secret) => secret.length >= shortest)
  const reach = longestSpelling * Math.max(0, ...wanted.map((secret) => secret.length))
  // A secret may itself look encoded. Where the text is decoded, it is sought as it then reads, too.
  const plain = wanted.map(asItStands)
  const decoded = wanted.map((secret) => readings(asItStands(secret), true))
  const sought = readings(asItStands(''), true).map((_, way) =>
    distinct(
      [...plain, ...decoded.flatMap((ways) => ways[way] ?? [])]
        .map(({ units }) => units)
        .filter((units) => units.length >= shortest),
    ).map(needle),
  )
  const spansIn = (text: string): ReadonlyArray<Span> =>
    wanted.length === 0
      ? []
      : readings(asItStands(text), hasEscapes(text)).flatMap((view, way) =>
          (sought[way] ?? []).flatMap((one) => spansOf(one, view)),
        )
  const beginning = (text: string, most: number): string => {
    for (let size = most + reach; ; size *= 2) {
      const piece = text.slice(0, size)
      const spans = spansIn(piece)
      if (piece.length === text.length) return without(piece, spans, piece.length)
      // What begins up to here also ends within the piece.
      const start = without(piece, spans, size - reach)
      if (start.length >= most) return start
    }
  }
  const whole = (text: string): string => without(text, spansIn(text), text.length)
  return Object.assign(whole, { beginning })
}

type Units = View['units']

const distinct = (lists: ReadonlyArray<Units>): ReadonlyArray<Units> => [
  ...new Map(lists.map((list) => [list.join(), list])).values(),
]

/** What is sought, with the table of Knuth, Morris and Pratt: it makes the search linear on hostile text too. */
interface Needle {
  readonly units: Units
  /** Of each prefix, the length of its longest proper prefix that is also its suffix. */
  readonly borders: Uint32Array
}

const needle = (units: Units): Needle => {
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
const spansOf = ({ units, borders }: Needle, view: View): ReadonlyArray<Span> => {
  const size = units.length
  const spans: Span[] = []
  let matched = 0
  for (let at = 0; at < view.units.length; at++) {
    const unit = view.units[at]
    while (matched > 0 && units[matched] !== unit) matched = borders[matched - 1] ?? 0
    if (units[matched] === unit) matched += 1
    if (matched < size) continue
    const from = view.starts[at + 1 - size] ?? 0
    const to = view.starts[at + 1] ?? 0
    const last = spans.at(-1)
    if (last !== undefined && from < last[1]) spans[spans.length - 1] = [last[0], to]
    else spans.push([from, to])
    matched = borders[size - 1] ?? 0
  }
  return spans
}

/** The text up to `end`, with one `[redacted]` for all spans that overlap; a span that begins there is whole. */
const without = (text: string, spans: ReadonlyArray<Span>, end: number): string => {
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
