import { createRedact, redacted } from '../failure/text/redact'

type TextRange = readonly [from: number, to: number]

/**
 * The least length in bytes of a value that is redacted. Shorter ones reveal little, and redacting them would
 * garble the message. spec: Tracing
 */
const shortest = 4

/** Redacts the values of variables in error messages. */
export interface Redactor {
  /** Redacts every value, also where it is JSON-escaped or percent-encoded. */
  readonly values: (text: string) => string
  /** Redacts every stretch of text that may be part of a value. For text taken from the document. */
  readonly parts: (text: string) => string
}

/** Creates a redactor for those values that have four bytes or more. spec: Tracing, setup failure */
export const createRedactor = (all: ReadonlyArray<string>): Redactor => {
  const secrets = all.filter((value) => Buffer.byteLength(value) >= shortest)
  const redact = createRedact(secrets)
  const pieces = new Set(secrets.flatMap((value) => cutPieces(value).map(([piece]) => piece)))
  return {
    // `createRedact` ignores values of fewer than four characters, but four bytes can be two characters.
    values: (text) => secrets.reduce((rest, one) => rest.replaceAll(one, redacted), redact(text)),
    parts: (text) => redactPieces(text, pieces),
  }
}

/** For each character of a text, the shortest piece of at least four bytes that begins there, and its place. */
const cutPieces = (text: string): ReadonlyArray<readonly [piece: string, at: number]> => {
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

/** Redacts every stretch of a text that consists of pieces of values, adjoining or overlapping. */
const redactPieces = (text: string, pieces: ReadonlySet<string>): string => {
  const ranges: TextRange[] = []
  for (const [piece, at] of cutPieces(text)) {
    if (!pieces.has(piece)) continue
    const last = ranges.at(-1)
    const from = last !== undefined && at <= last[1] ? (ranges.pop()?.[0] ?? at) : at
    ranges.push([from, at + piece.length])
  }
  let out = ''
  let done = 0
  for (const [from, to] of ranges) {
    out += text.slice(done, from) + redacted
    done = to
  }
  return out + text.slice(done)
}
