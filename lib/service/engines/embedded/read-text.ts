import type { VectorTable } from './vector-table'
import { splitIntoPieces, splitWords } from './word-pieces'

/** The pieces of a text. */
export interface TextPieces {
  /** The number of occurrences of each piece, in the order in which the pieces first occur. Punctuation and symbols are left out. */
  readonly counts: ReadonlyMap<number, number>
  /** The share of the text's letters in words that the table has as one piece, 0 to 1. It is 0 for a text without letters. */
  readonly knownShare: number
}

/** A text is read in parts of about this many characters. */
const partLength = 8_192

/**
 * Splits texts at blanks into parts of about `partLength` characters. A part without a blank is cut between two characters.
 */
export const splitIntoParts = function* (texts: ReadonlyArray<string>): Generator<string> {
  for (const text of texts) yield* splitText(text)
}

const splitText = function* (text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = start + partLength
    while (end < text.length && end < start + 2 * partLength && !isBlank(text.charCodeAt(end)))
      end += 1
    // 0xDC00 to 0xDFFF are second halves of characters.
    if ((text.charCodeAt(end) & 0xfc00) === 0xdc00) end += 1
    yield text.slice(start, end)
    start = end
  }
}

const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)

/**
 * Reads the pieces of texts, as if the texts were one. After each part of a text it yields the number of characters in the part, which
 * is a measure of the time that the part took.
 */
export const readPiecesInSteps = function* (
  texts: ReadonlyArray<string>,
  table: VectorTable,
): Generator<number, TextPieces> {
  const counter = createPieceCounter(table)
  for (const part of splitIntoParts(texts)) {
    for (const word of splitWords(part)) counter.add(word)
    yield part.length
  }
  return counter.finish()
}

/** Counts the pieces of the words that are added. */
export const createPieceCounter = ({ vocabulary, isWordlike }: VectorTable) => {
  const counts = new Map<number, number>()
  let letters = 0
  let knownLetters = 0
  return {
    add: (word: string): void => {
      const pieces = splitIntoPieces(word, vocabulary)
      for (const piece of pieces)
        if (isWordlike[piece] === 1) counts.set(piece, (counts.get(piece) ?? 0) + 1)
      if (!/^\p{L}+$/u.test(word)) return
      letters += word.length
      if (pieces.length === 1) knownLetters += word.length
    },
    finish: (): TextPieces => ({
      counts,
      knownShare: letters === 0 ? 0 : knownLetters / letters,
    }),
  }
}

/** Reads the pieces of texts, as if the texts were one. */
export const readPieces = (texts: ReadonlyArray<string>, table: VectorTable): TextPieces => {
  const steps = readPiecesInSteps(texts, table)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/**
 * Computes the vector of a text: the sum of the vectors of its pieces. A piece that occurs n times counts √n times. The vector has the
 * length 1, or 0 if the text has no pieces. Sums have a fixed order, so the result is the same on every platform.
 */
export const computeTextVector = ({ counts }: TextPieces, table: VectorTable): Float64Array => {
  const { dimensions, numbers, scales } = table
  const vector = new Float64Array(dimensions)
  for (const [piece, count] of counts) {
    const weight = Math.sqrt(count) * (scales[piece] ?? 0)
    const start = piece * dimensions
    for (let i = 0; i < dimensions; i += 1)
      vector[i] = (vector[i] ?? 0) + weight * (numbers[start + i] ?? 0)
  }
  const length = Math.sqrt(multiplyVectors(vector, vector))
  return length === 0 ? vector : vector.map((x) => x / length)
}

/** Computes the dot product of two vectors. For vectors of length 1 it is their cosine. */
export const multiplyVectors = (a: Float64Array, b: Float64Array): number => {
  let sum = 0
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}
