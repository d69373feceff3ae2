import type { Terms } from './instructions'
import type { Places } from './places'

/** Where the words of some instructions are found in a state. */
export interface Overlap {
  /** How many different words the instructions have, stop words left out. */
  readonly asked: number
  /** How many of them occur in the state. */
  readonly found: number
  /**
   * For each sentence with such words: how many stand in it as they stand in the instructions, and how many are
   * negated in one of the two only.
   */
  readonly sentences: ReadonlyMap<number, { readonly same: number; readonly opposite: number }>
}

/** Of a state in which the words occur in more sentences, the first so many found count. */
const mostSentences = 100_000

/** Finds the words of some instructions in a state, sentence by sentence. */
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

/** How much each sentence counts: more, the more of the instructions' words it has. */
export const focusOf = ({ asked, sentences }: Overlap, strength: number) => {
  if (sentences.size === 0) return evenly
  return (sentence: number): number => {
    const at = sentences.get(sentence)
    return at === undefined ? 1 : 1 + (strength * (at.same + at.opposite)) / asked
  }
}

const evenly = (): number => 1
