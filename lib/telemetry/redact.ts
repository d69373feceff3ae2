import { createRedact } from '../text/redact'
import { redacted, type Span, withoutSpans } from '../text/search'

/** Values shorter than this, in bytes, stay: they say nothing, and hiding them hides the message. spec: Tracing */
const shortest = 4

/** Keeps the values of variables out of error texts. */
export interface Redactor {
  /** Replaces every value, however it is encoded. */
  readonly values: (text: string) => string
  /** For text that was taken from a document: replaces what may be a part of a value as well. */
  readonly parts: (text: string) => string
}

/** Makes a redactor for the values of four or more bytes among these. spec: Tracing, setup failure */
export const redactor = (all: ReadonlyArray<string>): Redactor => {
  const secrets = all.filter((value) => Buffer.byteLength(value) >= shortest)
  const redact = createRedact(secrets)
  const pieces = new Set(secrets.flatMap((value) => piecesOf(value).map(([piece]) => piece)))
  return {
    // Four bytes may be two characters: too few for the redactor of keys.
    values: (text) => secrets.reduce((rest, one) => rest.replaceAll(one, redacted), redact(text)),
    parts: (text) => withoutPieces(text, pieces),
  }
}

/** For each character of a text the shortest piece from there on that has four bytes or more, and where it begins. */
const piecesOf = (text: string): ReadonlyArray<readonly [piece: string, at: number]> => {
  const characters = [...text]
  let at = 0
  return characters.flatMap((character, index) => {
    const begin = at
    at += character.length
    let piece = ''
    for (let next = index; next < index + shortest && Buffer.byteLength(piece) < shortest; next++)
      piece += characters[next] ?? ''
    return Buffer.byteLength(piece) < shortest ? [] : [[piece, begin] as const]
  })
}

/** Replaces every stretch of a text that is made up of pieces of values, one after the other or overlapping. */
const withoutPieces = (text: string, pieces: ReadonlySet<string>): string => {
  const spans: Span[] = []
  for (const [piece, at] of piecesOf(text)) {
    if (!pieces.has(piece)) continue
    const last = spans.at(-1)
    const from = last !== undefined && at <= last[1] ? (spans.pop()?.[0] ?? at) : at
    spans.push([from, at + piece.length])
  }
  return withoutSpans(text, spans, text.length)
}
