import { needle, type Span, spansOf, withoutSpans } from './search'
import { asItStands, type View, withoutJsonEscapes, withoutPercentEncoding } from './spelling'

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
      if (piece.length === text.length) return withoutSpans(piece, spans, piece.length)
      // What begins up to here also ends within the piece.
      const start = withoutSpans(piece, spans, size - reach)
      if (start.length >= most) return start
    }
  }
  const whole = (text: string): string => withoutSpans(text, spansIn(text), text.length)
  return Object.assign(whole, { beginning })
}

type Units = View['units']

const distinct = (lists: ReadonlyArray<Units>): ReadonlyArray<Units> => [
  ...new Map(lists.map((list) => [list.join(), list])).values(),
]
