/** The numbers that tune the lexical engine. */
export interface Weights {
  /** BM25's k1: how soon further occurrences of a word in an option stop counting. */
  readonly k1: number
  /** BM25's b, 0 to 1: how much less the words of a long description count. */
  readonly b: number
  /** BM25's k3: how soon further occurrences of a word in the state stop counting. */
  readonly k3: number
  /** How much a word of a label counts, where one of its description counts 1. */
  readonly label: number
  /** How much an occurrence counts against an option when only one of the two is negated. */
  readonly negation: number
  /** How much more a sentence counts that has all words of the instructions. */
  readonly focus: number
  /** By what BM25 scores are multiplied to get log-odds, for choices. */
  readonly choice: number
  /** The same for scores. */
  readonly score: number
  /** The share of the evidence for a level that the levels next to it get as well. */
  readonly neighbour: number
  /** By what the share of words found, less `threshold`, is multiplied to get log-odds of yes. */
  readonly found: number
  /** The share of the instructions' words in one sentence from which on yes is likelier than no. */
  readonly threshold: number
  /** By what BM25 scores are multiplied to get log-odds, for the criteria of a noul. */
  readonly criteria: number
  /**
   * By what the log-odds that words give are divided, for each type. The other numbers were found where words say more
   * than they do elsewhere: undivided, answers that claim 83 % were right in 65 %.
   */
  readonly caution: { readonly noul: number; readonly choice: number; readonly score: number }
  /** How much the words for praise and for complaint count, where other words count 1 before they are divided. */
  readonly feeling: number
}

/**
 * Found on the tuning part of the labelled set by `test/accuracy/tune.ts`, but for `caution` and `feeling`, which were
 * found on texts of others. D39
 */
export const weights: Weights = {
  k1: 1.25,
  b: 0.55,
  k3: 2.2,
  label: 0.77,
  negation: 0.5,
  focus: 1.2,
  choice: 3.9,
  score: 4.3,
  neighbour: 0.08,
  found: 4.5,
  threshold: 0.45,
  criteria: 3.3,
  caution: { noul: 2, choice: 3, score: 5 },
  feeling: 0.75,
}
