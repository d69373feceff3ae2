import { findRanges, type Needle, prepareNeedle, replaceRanges, type TextRange } from './search'
import { readSpellings } from './spelling'

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

/**
 * Creates a function that redacts secrets of at least four characters. It finds them as they are, JSON-escaped,
 * percent-encoded (partly or wholly), in either letter case, and in mixtures of these. Time and memory grow
 * linearly with any text. D52
 */
export const createRedact = (secrets: ReadonlyArray<string>): Redact => {
  const wanted = [...new Set(secrets)].filter((secret) => secret.length >= shortest)
  const reach = longestSpelling * Math.max(0, ...wanted.map((secret) => secret.length))
  const needles = prepareNeedles(wanted)
  const least = Math.min(...needles.map(({ units }) => units.length))
  const findSecrets = (text: string): ReadonlyArray<TextRange> =>
    text.length < least
      ? []
      : readSpellings(text).flatMap((view) => needles.flatMap((needle) => findRanges(needle, view)))
  const beginning = (text: string, most: number): string => {
    for (let size = most + reach; ; size *= 2) {
      const piece = text.slice(0, size)
      const ranges = findSecrets(piece)
      if (piece.length === text.length) return replaceRanges(piece, ranges, piece.length)
      // A secret that begins before this point also ends within the piece.
      const start = replaceRanges(piece, ranges, size - reach)
      if (start.length >= most) return start
    }
  }
  const redactWhole = (text: string): string => replaceRanges(text, findSecrets(text), text.length)
  return Object.assign(redactWhole, { beginning, reach })
}

/** Prepares the search for secrets, and for what they read as where they look escaped themselves. */
const prepareNeedles = (secrets: ReadonlyArray<string>): ReadonlyArray<Needle> => {
  const readings = secrets.flatMap(readSpellings)
  const distinct = new Map(readings.map(({ units }) => [units.join(), units]))
  return [...distinct.values()].filter(({ length }) => length >= shortest).map(prepareNeedle)
}
