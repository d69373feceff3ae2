/** An index of where words occur in a state, or in some of its members. */
export interface Places {
  /**
   * The places of a stem, in order. A place is twice the number of the sentence, plus 1 where the word is
   * negated. With this index the time for a question grows with the occurrences of its words only, however
   * large the state is.
   */
  readonly get: (stem: string) => ReadonlyArray<number> | undefined
}
