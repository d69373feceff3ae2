import type { FeatureTable } from '../statistics/logistic/feature-table'
import {
  computeIdf,
  countTerms,
  createTermVocabulary,
  type StateText,
  type TermVocabulary,
  weighKnownTerms,
} from './terms'

/** The text of a row as it waits for the vocabulary. */
export interface StoredText {
  /** The numbers of its terms, which `TextStore` gave them. */
  readonly terms: Uint32Array
  readonly counts: Uint16Array
  readonly vector: Float32Array
}

/** After this many different terms, new ones are ignored: they are too rare to become features. This bounds the memory. */
const maxDifferentTerms = 2_000_000

/** A term of fewer rows says nothing about other rows. */
const minRowsWithTerm = 2

/** Stores the texts of rows compactly until all are known, and then makes the features of the rows. */
export class TextStore {
  private readonly numberOfTerm = new Map<string, number>()

  /** Converts a text. The store does not keep it. */
  store({ words, vector }: StateText): StoredText {
    const terms: number[] = []
    const counts: number[] = []
    for (const [term, count] of countTerms(words)) {
      const number = this.findOrAddTerm(term)
      if (number === undefined) continue
      terms.push(number)
      counts.push(count)
    }
    return { terms: Uint32Array.from(terms), counts: Uint16Array.from(counts), vector }
  }

  private findOrAddTerm(term: string): number | undefined {
    const known = this.numberOfTerm.get(term)
    if (known !== undefined) return known
    const number = this.numberOfTerm.size
    if (number === maxDifferentTerms) return undefined
    this.numberOfTerm.set(term, number)
    return number
  }

  /**
   * Makes the features of rows. The vocabulary has the terms that occur in the most rows, at most `maxTerms`, of equally frequent ones
   * those that occurred first.
   */
  finish(
    texts: ReadonlyArray<StoredText>,
    maxTerms: number,
  ): { readonly features: FeatureTable; readonly vocabulary: TermVocabulary } {
    const rowsWithTerm = new Uint32Array(this.numberOfTerm.size)
    for (const { terms } of texts)
      for (const term of terms) rowsWithTerm[term] = (rowsWithTerm[term] as number) + 1
    const numbers = [...rowsWithTerm.keys()]
      .filter((term) => (rowsWithTerm[term] as number) >= minRowsWithTerm)
      .sort((a, b) => (rowsWithTerm[b] as number) - (rowsWithTerm[a] as number) || a - b)
      .slice(0, maxTerms)
    const names = [...this.numberOfTerm.keys()]
    const vocabulary = createTermVocabulary(
      numbers.map((term) => names[term] as string),
      Float32Array.from(numbers, (term) => computeIdf(texts.length, rowsWithTerm[term] as number)),
    )
    return {
      features: createFeatureTable(texts, numbers, rowsWithTerm.length, vocabulary),
      vocabulary,
    }
  }
}

/** Marks a term that is not in the vocabulary. */
const unknownTerm = 0xffffffff

const createFeatureTable = (
  texts: ReadonlyArray<StoredText>,
  numbers: ReadonlyArray<number>,
  differentTerms: number,
  vocabulary: TermVocabulary,
): FeatureTable => {
  const placeOfTerm = new Uint32Array(differentTerms).fill(unknownTerm)
  for (const [place, term] of numbers.entries()) placeOfTerm[term] = place
  const starts = new Uint32Array(texts.length + 1)
  for (const [row, { terms }] of texts.entries()) {
    let count = 0
    for (const term of terms) if (placeOfTerm[term] !== unknownTerm) count++
    starts[row + 1] = (starts[row] as number) + count
  }
  const termTotal = starts[texts.length] as number
  const dimensions = texts[0]?.vector.length ?? 0
  const vectors = new Float32Array(texts.length * dimensions)
  const terms = new Uint32Array(termTotal)
  const weights = new Float32Array(termTotal)
  for (const [row, text] of texts.entries()) {
    vectors.set(text.vector, row * dimensions)
    const isKnown = (_: number, i: number) => placeOfTerm[text.terms[i] as number] !== unknownTerm
    const places = text.terms.filter(isKnown).map((term) => placeOfTerm[term] as number)
    const weighted = weighKnownTerms(places, text.counts.filter(isKnown), vocabulary)
    terms.set(weighted.terms, starts[row] as number)
    weights.set(weighted.weights, starts[row] as number)
  }
  const termCount = vocabulary.terms.length
  return { rowCount: texts.length, dimensions, vectors, termCount, starts, terms, weights }
}
