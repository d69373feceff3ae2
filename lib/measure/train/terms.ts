/** The words of a text, and its vector from the table of the embedded engine. */
export interface StateText {
  readonly words: ReadonlyArray<string>
  readonly vector: Float32Array
}

/** Terms are read from this many words at the beginning of a text. This bounds the memory for training. */
const maxTermWords = 1_000

/** Returns the terms of a text with their counts, in the order in which they first occur. A term is a word or a pair of neighbors. */
export const countTerms = (words: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  const add = (term: string): void => {
    counts.set(term, (counts.get(term) ?? 0) + 1)
  }
  const end = Math.min(words.length, maxTermWords)
  for (let i = 0; i < end; i++) {
    const word = words[i] as string
    add(word)
    if (i > 0) add(`${words[i - 1]} ${word}`)
  }
  return counts
}

/**
 * The weights of all terms of a text together have this length, next to a vector of length 1. Words are better features than the
 * vector if there are many rows, and worse if there are few.
 */
const termLength = 1

/**
 * Computes the weights of terms in a text: (1 + ln count) · idf, scaled to the length `termLength` together. `idf` is the weight of each
 * term, which is higher the fewer rows have it. Salton and Buckley, Information Processing & Management 24 (1988).
 */
export const weighTerms = (counts: Uint16Array, idf: Float32Array): Float32Array => {
  const weights = new Float64Array(counts.length)
  let squares = 0
  for (let i = 0; i < weights.length; i++) {
    const weight = (1 + Math.log(counts[i] as number)) * (idf[i] as number)
    weights[i] = weight
    squares += weight * weight
  }
  const scale = squares === 0 ? 0 : termLength / Math.sqrt(squares)
  return Float32Array.from(weights, (weight) => weight * scale)
}

/** Computes the idf of a term: ln((1 + n) / (1 + r)) + 1 for r of n rows with the term. This is scikit-learn's smooth idf. */
export const computeIdf = (rowCount: number, rowsWithTerm: number): number =>
  Math.log((1 + rowCount) / (1 + rowsWithTerm)) + 1

/** The terms that a model knows, each with its number and its idf. */
export interface TermVocabulary {
  readonly terms: ReadonlyArray<string>
  readonly idf: Float32Array
  readonly numberOfTerm: ReadonlyMap<string, number>
}

export const createTermVocabulary = (
  terms: ReadonlyArray<string>,
  idf: Float32Array,
): TermVocabulary => ({
  terms,
  idf,
  numberOfTerm: new Map(terms.map((term, number) => [term, number])),
})

/** The terms of a text that a vocabulary has, with their weights. */
export interface WeightedTerms {
  readonly terms: Uint32Array
  readonly weights: Float32Array
}

/** Weighs the terms of a vocabulary that occur in a text. `numbers` and `counts` are those of the text, in the order of the text. */
export const weighKnownTerms = (
  numbers: Uint32Array,
  counts: Uint16Array,
  { idf }: Pick<TermVocabulary, 'idf'>,
): WeightedTerms => ({
  terms: numbers,
  weights: weighTerms(
    counts,
    Float32Array.from(numbers, (number) => idf[number] as number),
  ),
})

/** Finds and weighs the terms of a text that a vocabulary has. */
export const readTerms = (
  words: ReadonlyArray<string>,
  vocabulary: TermVocabulary,
): WeightedTerms => {
  const numbers: number[] = []
  const counts: number[] = []
  for (const [term, count] of countTerms(words)) {
    const number = vocabulary.numberOfTerm.get(term)
    if (number === undefined) continue
    numbers.push(number)
    counts.push(count)
  }
  return weighKnownTerms(Uint32Array.from(numbers), Uint16Array.from(counts), vocabulary)
}
