/** Where words occur in a state, or in some of its members. */
export interface Places {
  /**
   * The places of a stem in order: twice the number of the sentence, plus 1 where the word is negated there.
   * With this index a question costs as much time as its own words occur, however large the state is.
   */
  readonly get: (stem: string) => ReadonlyArray<number> | undefined
}
