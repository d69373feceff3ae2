import { computeTextVector, multiplyVectors, type TextPieces } from './read-text'
import { comparePieces, type VectorTable } from './vector-table'

/** The maximum number of different pieces of a text whose vectors are compared one by one. Further pieces do not count. */
const maxComparedPieces = 400

/** A text to compare with others. */
export interface ComparedText {
  readonly vector: Float64Array
  /** The different pieces, up to 400. */
  readonly pieces: ReadonlyArray<number>
  readonly knownShare: number
}

export const prepareText = (text: TextPieces, table: VectorTable): ComparedText => ({
  vector: computeTextVector(text, table),
  pieces: [...text.counts.keys()].slice(0, maxComparedPieces),
  knownShare: text.knownShare,
})

/** How similar an option is to the state. */
export interface Similarity {
  /** The cosine between the vectors of both texts, -1 to 1. */
  readonly cosine: number
  /** The share of the option's pieces that the state has, 0 to 1. A similar piece of the state counts in part. */
  readonly alignment: number
}

/** Compares options with one state. It remembers what a piece of an option has in common with the state. */
export interface StateComparer {
  readonly compare: (option: ComparedText) => Similarity
  /** Returns the maximum number of pairs of pieces that comparing an option takes. It is a measure of the time. */
  readonly countPairs: (option: ComparedText) => number
}

export const createStateComparer = (state: ComparedText, table: VectorTable): StateComparer => {
  const knownCosines = new Map<number, number>()
  const findClosestCosine = (piece: number): number => {
    const known = knownCosines.get(piece)
    if (known !== undefined) return known
    let closest = 0
    for (const statePiece of state.pieces)
      closest = Math.max(closest, comparePieces(table, piece, statePiece))
    knownCosines.set(piece, closest)
    return closest
  }
  /** Pieces with longer vectors are rarer words, and count more. */
  const computeAlignment = (pieces: ReadonlyArray<number>): number => {
    let sum = 0
    let total = 0
    for (const piece of pieces) {
      const weight = (table.lengths[piece] ?? 0) * (table.scales[piece] ?? 0)
      sum += findClosestCosine(piece) * weight
      total += weight
    }
    return total === 0 ? 0 : sum / total
  }
  return {
    compare: ({ vector, pieces }) => ({
      cosine: multiplyVectors(state.vector, vector),
      alignment: computeAlignment(pieces),
    }),
    countPairs: ({ pieces }) => pieces.length * state.pieces.length,
  }
}
