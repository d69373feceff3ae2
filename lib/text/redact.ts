import { type Needle, needle, type Span, spansOf, withoutSpans } from './search'
import { asItStands, type View, withoutJsonEscapes, withoutPercentEncoding } from './spelling'

/** Replaces the secrets in a text by `[redacted]`. */
export interface Redact {
  (text: string): string
  /**
   * Returns the beginning of the redacted text: at least `most` characters, or all of it. Reads only a little
   * more of the text than that.
   */
  readonly beginning: (text: string, most: number) => string
  /** The most characters that a secret takes up in a text, however it is spelled. */
  readonly reach: number
}

/**
 * The least length of a secret that is redacted. Shorter ones also occur in ordinary words, so redacting them
 * would garble texts and hide nothing. D52
 */
const shortest = 4

/**
 * The most characters that can spell a single one: `\u0025\u0036\u0031` is the letter a, percent-encoded and
 * then JSON-escaped.
 */
const longestSpelling = 36

/** Reads a text in several ways: as it stands, and with one or two layers of encoding undone. */
const readings = (plain: View, hasEscapes: boolean): ReadonlyArray<View> => {
  if (!hasEscapes) return [plain]
  const once = [withoutJsonEscapes(plain), withoutPercentEncoding(plain)]
  return [plain, ...once, ...once.map(withoutJsonEscapes), ...once.map(withoutPercentEncoding)]
}

/** Whether a text has escapes at all. Without any, all readings are the same. */
const hasEscapes = (text: string): boolean => text.includes('\\') || text.includes('%')

/**
 * Creates a function that redacts secrets of at least four characters. It finds them as they are, JSON-escaped,
 * percent-encoded (partly or wholly), in either letter case, and in mixtures of these. Time and memory grow
 * linearly with any text. D52
 */
export const createRedact = (secrets: ReadonlyArray<string>): Redact => {
  const wanted = [...new Set(secrets)].filter((secret) => secret.length >= shortest)
  const reach = longestSpelling * Math.max(0, ...wanted.map((secret) => secret.length))
  const plain = needlesByReading(wanted, false)
  let decoded: typeof plain | undefined
  const spansIn = (text: string): ReadonlyArray<Span> => {
    if (wanted.length === 0) return []
    const escaped = hasEscapes(text)
    if (escaped) decoded ??= needlesByReading(wanted, true)
    const sought = (escaped && decoded) || plain
    return readings(asItStands(text), escaped).flatMap((view, way) =>
      (sought[way] ?? []).flatMap((one) => spansOf(one, view)),
    )
  }
  const beginning = (text: string, most: number): string => {
    for (let size = most + reach; ; size *= 2) {
      const piece = text.slice(0, size)
      const spans = spansIn(piece)
      if (piece.length === text.length) return withoutSpans(piece, spans, piece.length)
      // A secret that begins before this point also ends within the piece.
      const start = withoutSpans(piece, spans, size - reach)
      if (start.length >= most) return start
    }
  }
  const whole = (text: string): string => withoutSpans(text, spansIn(text), text.length)
  return Object.assign(whole, { beginning, reach })
}

/**
 * What to search for in each reading of a text. A secret may itself look encoded, so in decoded readings of a
 * text its own decoded form is searched for too.
 */
const needlesByReading = (
  secrets: ReadonlyArray<string>,
  hasEscapes: boolean,
): ReadonlyArray<ReadonlyArray<Needle>> => {
  const plain = secrets.map(asItStands)
  const decoded = plain.map((secret) => readings(secret, hasEscapes))
  return readings(asItStands(''), hasEscapes).map((_, way) =>
    distinct(
      [...plain, ...decoded.flatMap((ways) => ways[way] ?? [])]
        .map(({ units }) => units)
        .filter((units) => units.length >= shortest),
    ).map(needle),
  )
}

type Units = View['units']

const distinct = (lists: ReadonlyArray<Units>): ReadonlyArray<Units> => [
  ...new Map(lists.map((list) => [list.join(), list])).values(),
]
