/** What the lexical engine can be tuned by. */
export interface Weights {
  /** BM25: how soon repeated words in an option stop counting. */
  readonly k1: number
  /** BM25: how much long descriptions are discounted. */
  readonly b: number
  /** How soon repeated words in the state stop counting. */
  readonly k3: number
  /** What a word of the label counts beside one of the description. */
  readonly label: number
  /** What a match under the opposite polarity takes away. */
  readonly negation: number
  /** How much more sentences count that share words with the instructions. */
  readonly focus: number
  /** Score units to log-odds, for choices. */
  readonly choice: number
  /** Score units to log-odds, for scores. */
  readonly score: number
  /** Share of a level's evidence that its neighbours get as well. */
  readonly neighbour: number
  /** Log-odds of yes when every word of the instructions is found in one sentence. */
  readonly found: number
  /** Share of the instructions' words that must be found before yes is likelier than no. */
  readonly threshold: number
  /** Score units to log-odds, for the criteria of a noul. */
  readonly criteria: number
}

/** Found on the tuning part of the labelled set by `test/accuracy/tune.ts`. D39 */
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
}
