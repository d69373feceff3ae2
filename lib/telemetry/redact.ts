import { redacted } from '../text/redact'

/** Values shorter than this stay: they say nothing, and hiding them hides the message. spec: Tracing */
const shortest = 4

/** Keeps the values of variables out of error texts. */
export interface Redactor {
  /** Replaces every value: as it is, quoted, escaped, percent-encoded or folded over lines. */
  readonly values: (text: string) => string
  /** For text that was taken from the input: replaces every part of a value as well. */
  readonly parts: (text: string) => string
}

/** Makes a redactor for the values of four or more bytes among these. spec: Tracing, setup failure */
export const redactor = (all: ReadonlyArray<string>): Redactor => {
  const secrets = [...new Set(all)].filter(longEnough)
  const needles = [...new Set(secrets.flatMap(writings).map((w) => squash(w).text))].filter(
    (needle) => needle !== '',
  )
  const values = (text: string): string => {
    if (needles.length === 0) return text
    const marks = new Uint8Array(text.length)
    for (const view of [squash(text), squash(text, decoded)]) {
      for (const needle of needles) {
        for (let at = view.text.indexOf(needle); at >= 0; at = view.text.indexOf(needle, at + 1)) {
          marks.fill(1, view.starts[at], view.ends[at + needle.length - 1])
        }
      }
    }
    return withoutMarked(text, marks)
  }
  return { values, parts: (text) => values(withoutParts(text, secrets)) }
}

const longEnough = (value: string): boolean => Buffer.byteLength(value) >= shortest

/** The ways in which a value may have been written. */
const writings = (value: string): ReadonlyArray<string> => [
  value,
  JSON.stringify(value).slice(1, -1),
  value.replaceAll("'", "''"),
  encodeURIComponent(value.replace(/\p{Surrogate}/gu, '')),
]

/** A text without some of its characters, and where each one left begins and ends in the whole. */
interface Squashed {
  readonly text: string
  readonly starts: ReadonlyArray<number>
  readonly ends: ReadonlyArray<number>
}

/** Blanks, line breaks and the margin of a quoted source line: what folding a text adds. */
const blanks = /\\?\s+(?:\d+ \| )?|^ *\d+ \| /y
/** An escaped character, by its code or by itself. */
const escapes = /\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|%([0-9a-f]{2})|\\[nrt]|\\(.)/iy

const decoded = (match: RegExpExecArray): string => {
  const code = match[1] ?? match[2] ?? match[3]
  return code === undefined ? (match[4] ?? '') : String.fromCharCode(Number.parseInt(code, 16))
}

const squash = (whole: string, decode?: (match: RegExpExecArray) => string): Squashed => {
  const starts: number[] = []
  const ends: number[] = []
  let text = ''
  for (let at = 0; at < whole.length; ) {
    blanks.lastIndex = at
    escapes.lastIndex = at
    const escaped = decode === undefined ? null : escapes.exec(whole)
    const blank = blanks.exec(whole)
    const end = at + Math.max(1, blank?.[0].length ?? 0, escaped?.[0].length ?? 0)
    const kept = blank ? '' : escaped && decode ? decode(escaped).trim() : whole.charAt(at)
    if (kept !== '') {
      text += kept
      starts.push(at)
      ends.push(end)
    }
    at = end
  }
  return { text, starts, ends }
}

/** Replaces every run of four or more bytes that one of the values holds. */
const withoutParts = (text: string, values: ReadonlyArray<string>): string => {
  const marks = new Uint8Array(text.length)
  for (let start = 0; start < text.length; start++) {
    let end = start
    while (
      end < text.length &&
      values.some((value) => value.includes(text.slice(start, end + 1)))
    ) {
      end++
    }
    if (longEnough(text.slice(start, end))) marks.fill(1, start, end)
  }
  return withoutMarked(text, marks)
}

const withoutMarked = (text: string, marks: Uint8Array): string => {
  let out = ''
  for (let at = 0; at < text.length; at++) {
    if (marks[at] === 0) out += text.charAt(at)
    else if (at === 0 || marks[at - 1] === 0) out += redacted
  }
  return out
}
