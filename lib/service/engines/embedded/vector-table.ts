import { resolve } from 'node:path'
import type { Files } from '../../../runtime/runtime'
import tablePath from './svc-embedded-1.bin'
import { maxPieceLength, type Vocabulary } from './word-pieces'

/** A table with a vector for each word piece. Pieces of words with similar meanings have vectors of similar directions. */
export interface VectorTable {
  readonly vocabulary: Vocabulary
  /** The numbers per vector. */
  readonly dimensions: number
  /** The vectors, one after another. Each number is an integer from -7 to 7. */
  readonly numbers: Int8Array
  /** The factor of each vector, as an integer. All have the same unknown unit, which does not matter for directions. */
  readonly scales: Uint16Array
  /** The length of each vector, without its factor. */
  readonly lengths: Float64Array
  /** 1 for a piece with a letter or a digit, 0 for punctuation. */
  readonly isWordlike: Uint8Array
}

/** The first bytes of a table. */
const signature = 'SVCV'
const headerBytes = 16

/**
 * Decodes a table. All numbers are little-endian. The parts of the file are:
 *
 * - `SVCV`, then as 32-bit integers: the number of vectors, the numbers per vector (even), and the bytes of the last part
 * - the factor of each vector as a 16-bit integer
 * - the vectors. A byte holds two numbers, the first in its high half. 8 is added to each number
 * - the pieces in UTF-8, separated by newlines
 *
 * Throws if the file is anything else.
 */
export const decodeVectorTable = (file: Uint8Array): VectorTable => {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const buffer = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  if (file.length < headerBytes || buffer.toString('latin1', 0, 4) !== signature)
    throw new Error('not a table of vectors')
  const rows = view.getUint32(4, true)
  const dimensions = view.getUint32(8, true)
  const numbersStart = headerBytes + 2 * rows
  const piecesStart = numbersStart + (rows * dimensions) / 2
  const pieces = buffer.toString('utf8', piecesStart).split('\n')
  if (file.length !== piecesStart + view.getUint32(12, true) || pieces.length !== rows)
    throw new Error('the table of vectors is damaged')
  const scales = new Uint16Array(rows)
  for (let row = 0; row < rows; row += 1) scales[row] = view.getUint16(headerBytes + 2 * row, true)
  const numbers = decodeNumbers(file.subarray(numbersStart, piecesStart))
  return {
    vocabulary: createVocabulary(pieces),
    dimensions,
    numbers,
    scales,
    lengths: computeLengths(numbers, rows, dimensions),
    isWordlike: Uint8Array.from(pieces, (piece) => (/[\p{L}\p{N}]/u.test(piece) ? 1 : 0)),
  }
}

const createVocabulary = (pieces: ReadonlyArray<string>): Vocabulary => {
  const vocabulary = new Map<string, number>()
  for (const [row, piece] of pieces.entries()) {
    if (piece.length > maxPieceLength + '##'.length) throw new Error(`too long a piece: ${piece}`)
    vocabulary.set(piece, row)
  }
  return vocabulary
}

/** Decodes two numbers from each byte. */
const decodeNumbers = (bytes: Uint8Array): Int8Array => {
  const numbers = new Int8Array(2 * bytes.length)
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] ?? 0
    numbers[2 * i] = (byte >> 4) - 8
    numbers[2 * i + 1] = (byte & 15) - 8
  }
  return numbers
}

const computeLengths = (numbers: Int8Array, rows: number, dimensions: number): Float64Array => {
  const lengths = new Float64Array(rows)
  for (let row = 0; row < rows; row += 1) {
    let sum = 0
    for (let i = row * dimensions; i < (row + 1) * dimensions; i += 1)
      sum += (numbers[i] ?? 0) * (numbers[i] ?? 0)
    lengths[row] = Math.sqrt(sum)
  }
  return lengths
}

/**
 * Computes the cosine between the vectors of two pieces, -1 to 1. Sums of integers are exact, so the result is the same on every
 * platform.
 */
export const comparePieces = (table: VectorTable, a: number, b: number): number => {
  const { numbers, dimensions, lengths } = table
  const startA = a * dimensions
  const startB = b * dimensions
  let sum = 0
  for (let i = 0; i < dimensions; i += 1)
    sum += (numbers[startA + i] ?? 0) * (numbers[startB + i] ?? 0)
  const product = (lengths[a] ?? 0) * (lengths[b] ?? 0)
  return product === 0 ? 0 : sum / product
}

/** The name of the model whose table this is. A model that is trained on its vectors works with this table only. */
export const tableName = 'svc-embedded-1'

let loadedTable: Promise<VectorTable> | undefined

/** Reads the table of svc. Later calls return the same table. Rejects if the file is missing or damaged. */
export const loadVectorTable = (files: Pick<Files, 'read'>): Promise<VectorTable> => {
  loadedTable ??= files.read(resolve(import.meta.dirname, tablePath)).then(decodeVectorTable)
  // A later call tries again after a failure.
  loadedTable.catch(() => {
    loadedTable = undefined
  })
  return loadedTable
}
