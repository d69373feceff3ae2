import * as fc from '../../support/fast-check'

/** A document as the test wrote it: each piece by itself, so that blanks can go between. */
type Piece = string | ReadonlyArray<Piece>

const chars = fc.oneof(
  fc.string({ unit: fc.anyCharacter, maxLength: 4 }),
  fc.constantFrom('é', '😀', '{', '}', '[', ']', ',', ':', ' ', '\u2028', 'x'.repeat(40)),
)
const escapes = fc.constantFrom('\\"', '\\\\', '\\/', '\\n', '\\u0000', '\\ud800', '\\uDC00\\t')
const strings = fc
  .array(
    fc.oneof(
      chars.map((s) => JSON.stringify(s).slice(1, -1)),
      escapes,
    ),
    { maxLength: 6 },
  )
  .map((parts) => `"${parts.join('')}"`)
const numbers = fc.oneof(
  fc.constantFrom('0', '-0', '1.0', '1e400', '-1E-400', '12345678901234567890', '0.10', '1E+2'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => JSON.stringify(n)),
  fc.bigInt().map(String),
)
/** Literals of member names. */
export const names = fc.oneof(
  fc.constantFrom('"__proto__"', '"constructor"', '"10"', '"2"', '""', '"a"', '"\\u0061"'),
  strings,
)
const list = (open: string, close: string, of: fc.Arbitrary<Piece>): fc.Arbitrary<Piece> =>
  fc
    .array(of, { maxLength: 5 })
    .map((parts) => [open, ...parts.flatMap((part, i) => (i > 0 ? [',', part] : [part])), close])
const { value } = fc.letrec<{ value: Piece }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom<Piece>('true', 'false', 'null'),
    numbers,
    strings,
    list('[', ']', tie('value')),
    list(
      '{',
      '}',
      fc.tuple(names, tie('value')).map(([name, of]) => [name, ':', of]),
    ),
  ),
}))

/**
 * The value of a document, piece by piece. JSON.parse reads no object here: in Node 24 and 26 it
 * mistakes names that hold escapes for others.
 */
const meaningOf = (piece: Piece): unknown => {
  if (typeof piece === 'string') return JSON.parse(piece)
  const parts = piece.filter((part) => typeof part !== 'string' || !/^[[\]{},]$/.test(part))
  if (piece[0] === '[') return parts.map(meaningOf)
  return Object.fromEntries(parts.map(([name = '', , of = '']) => [meaningOf(name), meaningOf(of)]))
}

/** The text that svc prints for a document: numbers as they are written, and each key once. */
const printed = (piece: Piece): string => {
  if (typeof piece === 'string')
    return piece.startsWith('"') ? JSON.stringify(JSON.parse(piece)) : piece
  const parts = piece.filter((part) => typeof part !== 'string' || !/^[[\]{},]$/.test(part))
  if (piece[0] === '[') return `[${parts.map(printed).join(',')}]`
  const members = new Map(parts.map(([name = '', , of = '']) => [printed(name), printed(of)]))
  return `{${Array.from(members, ([name, of]) => `${name}:${of}`).join(',')}}`
}

const flat = (piece: Piece): ReadonlyArray<string> =>
  typeof piece === 'string' ? [piece] : piece.flatMap(flat)
const blanks = fc.stringMatching(/^[ \t\r\n]{0,3}$/)
/** A document: as svc prints it, as it may be written with blanks strewn in, and its value. */
export const documents = fc
  .tuple(value, fc.array(blanks, { minLength: 1 }))
  .map(([piece, gaps]) => {
    const parts = flat(piece)
    const gap = (i: number): string => gaps[i % gaps.length] ?? ''
    const value = meaningOf(piece)
    return {
      value,
      text: printed(piece),
      spaced: parts.map((part, i) => gap(i) + part).join('') + gap(7),
    }
  })
