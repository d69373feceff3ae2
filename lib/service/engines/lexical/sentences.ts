import type { Terms } from './instructions'
import type { Places } from './places'

/** Where a state contains the words of a question's instructions. */
export interface Overlap {
  /** How many different words the instructions have, without stop words. */
  readonly asked: number
  /** How many of them occur in the state. */
  readonly found: number
  /**
   * For each sentence that has any of the words: `same` counts those that are negated in both or in neither of
   * sentence and instructions, `opposite` those negated in one of the two only.
   */
  readonly sentences: ReadonlyMap<number, { readonly same: number; readonly opposite: number }>
}

/** The most sentences that are recorded, the first ones of the state. */
const mostSentences = 100_000

/** Finds the words of instructions in a state, sentence by sentence. */
export const overlap = (terms: Terms, state: Places): Overlap => {
  const sentences = new Map<number, { same: number; opposite: number }>()
  let found = 0
  for (const { stem, negated } of terms) {
    const places = state.get(stem)
    if (places === undefined) continue
    found += 1
    let last = -1
    for (const place of places) {
      const sentence = place >> 1
      if (sentence === last) continue
      last = sentence
      let at = sentences.get(sentence)
      if (at === undefined) {
        if (sentences.size >= mostSentences) continue
        at = { same: 0, opposite: 0 }
        sentences.set(sentence, at)
      }
      if (((place & 1) === 1) === negated) at.same += 1
      else at.opposite += 1
    }
  }
  return { asked: terms.length, found, sentences }
}

/** Returns the weight of each sentence: 1, plus up to `strength` by its share of the instructions' words. */
export const focusOf =
  ({ asked, sentences }: Overlap, strength: number) =>
  (sentence: number): number => {
    const at = sentences.get(sentence)
    return at === undefined ? 1 : 1 + (strength * (at.same + at.opposite)) / asked
  }
