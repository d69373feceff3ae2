import { needle, type Span, spansOf, withoutSpans } from '../text/search'
import { folded, type View } from '../text/spelling'

/** Values shorter than this, in bytes, stay: they say nothing, and hiding them hides the message. spec: Tracing */
const shortest = 4

/** Keeps the values of variables out of error texts. */
export interface Redactor {
  /** Replaces every value: as it is, quoted, escaped, percent-encoded or folded over lines. */
  readonly values: (text: string) => string
  /** For text that was taken from the input: replaces what may be a part of a value as well. */
  readonly parts: (text: string) => string
}

/** Makes a redactor for the values of four or more bytes among these. spec: Tracing, setup failure */
export const redactor = (all: ReadonlyArray<string>): Redactor => {
  const secrets = [...new Set(all)].filter((value) => Buffer.byteLength(value) >= shortest)
  const needles = [...new Set(secrets.flatMap(writings))]
    .map((writing) => squash(writing).units)
    .filter((units) => units.length > 0)
    .map(needle)
  const values = (text: string): string => {
    if (needles.length === 0) return text
    const views = [squash(text), squash(text, decoded)]
    const spans = views.flatMap((view) => needles.flatMap((one) => spansOf(one, view)))
    return withoutSpans(text, spans, text.length)
  }
  const pieces = new Set(secrets.flatMap((value) => piecesOf(value).map(([piece]) => piece)))
  return { values, parts: (text) => values(withoutPieces(text, pieces)) }
}

/** The ways in which a value may have been written. */
const writings = (value: string): ReadonlyArray<string> => [
  value,
  JSON.stringify(value).slice(1, -1),
  value.replaceAll("'", "''"),
  encodeURIComponent(value.replace(/\p{Surrogate}/gu, '')),
]

/** Blanks, line breaks and the margin of a quoted source line: what folding a text adds. */
const blanks = /\\?\s+(?:\d+ \| )?|^ *\d+ \| /y
/** An escaped character, by its code or by itself. */
const escapes = /\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|%([0-9a-f]{2})|\\[nrt]|\\(.)/iy

const decoded = (match: RegExpExecArray): string => {
  const code = match[1] ?? match[2] ?? match[3]
  return code === undefined ? (match[4] ?? '') : String.fromCharCode(Number.parseInt(code, 16))
}

/** A text without what folding adds, and with escapes undone where `decode` is given. */
const squash = (whole: string, decode?: (match: RegExpExecArray) => string): View => {
  const units: number[] = []
  const starts: number[] = []
  const ends: number[] = []
  for (let at = 0; at < whole.length; ) {
    blanks.lastIndex = at
    escapes.lastIndex = at
    const escaped = decode === undefined ? null : escapes.exec(whole)
    const blank = blanks.exec(whole)
    const end = at + Math.max(1, blank?.[0].length ?? 0, escaped?.[0].length ?? 0)
    const kept = blank ? '' : escaped && decode ? decode(escaped).trim() : whole.charAt(at)
    if (kept !== '') {
      units.push(folded(kept.charCodeAt(0)))
      starts.push(at)
      ends.push(end)
    }
    at = end
  }
  return {
    units: Uint16Array.from(units),
    starts: Uint32Array.from(starts),
    ends: Uint32Array.from(ends),
  }
}

/** From each character on the shortest piece of four bytes or more, and where it begins. */
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

/** Replaces what consists of pieces of values. */
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
