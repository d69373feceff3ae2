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

/** The similarity of an option and the state. */
export interface Similarity {
  /** The cosine between the vectors of both texts, -1 to 1. */
  readonly cosine: number
  /** The share of the option's pieces that the state has, 0 to 1. A similar piece of the state counts in part. */
  readonly alignment: number
}

/** Compares options with one state. It remembers what a piece of an option has in common with the state. */
export interface StateComparer {
  readonly compare: (option: ComparedText) => Similarity
  /** Returns `true` if one of these pieces of the state is the same word as a piece of the option, or nearly. */
  readonly isClosestToAny: (option: ComparedText, statePieces: ReadonlySet<number>) => boolean
  /** Returns the maximum number of pairs of pieces that comparing an option takes. It is a measure of the time. */
  readonly countPairs: (option: ComparedText) => number
}

/** The piece of the state that is most similar to a piece of an option. */
interface ClosestPiece {
  readonly piece: number
  readonly cosine: number
}

/** Pieces with at least this cosine count as forms of the same word, such as `arrive` and `arrived`. */
const minSameWordCosine = 0.7

export const createStateComparer = (state: ComparedText, table: VectorTable): StateComparer => {
  const knownClosest = new Map<number, ClosestPiece>()
  const findClosest = (piece: number): ClosestPiece => {
    const known = knownClosest.get(piece)
    if (known !== undefined) return known
    let closest = { piece: -1, cosine: 0 }
    for (const statePiece of state.pieces) {
      const cosine = comparePieces(table, piece, statePiece)
      if (cosine > closest.cosine) closest = { piece: statePiece, cosine }
    }
    knownClosest.set(piece, closest)
    return closest
  }
  /** Pieces with longer vectors are rarer words, and count more. */
  const computeAlignment = (pieces: ReadonlyArray<number>): number => {
    let sum = 0
    let total = 0
    for (const piece of pieces) {
      const weight = (table.lengths[piece] ?? 0) * (table.scales[piece] ?? 0)
      sum += findClosest(piece).cosine * weight
      total += weight
    }
    return total === 0 ? 0 : sum / total
  }
  return {
    compare: ({ vector, pieces }) => ({
      cosine: multiplyVectors(state.vector, vector),
      alignment: computeAlignment(pieces),
    }),
    isClosestToAny: ({ pieces }, statePieces) =>
      pieces.some((optionPiece) => {
        const { piece, cosine } = findClosest(optionPiece)
        return cosine >= minSameWordCosine && statePieces.has(piece)
      }),
    countPairs: ({ pieces }) => pieces.length * state.pieces.length,
  }
}
