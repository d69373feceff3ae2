import * as E from 'fp-ts/Either'

/** A token that may come next, and the natural logarithm of its probability. */
export interface Candidate {
  readonly token: string
  /** The text of the token's bytes, where the engine sends them and the text differs from `token`. */
  readonly spelled?: string
  readonly logprob: number
}

/** How many tokens an engine is asked to list. One call can tell as many options apart. D40 */
export const mostLetters = 20

/** The letter of the option at `index`. */
export const letterAt = (index: number): string => String.fromCharCode(0x41 + index)

/**
 * The spellings of a token that stand for a letter: in either case, with blanks around it (`▁` and `Ġ` are
 * blanks in the raw vocabularies of tokenizers, `Ċ` is a line break), in quotes or brackets, with a full stop,
 * comma or colon after it.
 */
const spelling = /^[\s▁ĠĊ]*["'`([*]*([A-Za-z])["'`)\]*]*[.:,]?[\s▁ĠĊ]*$/u

/** The index of the option whose letter this text stands for, 0 for A; `undefined` where it is no letter. */
export const letterOf = (text: string): number | undefined => {
  const letter = spelling.exec(text)?.[1]
  return letter === undefined ? undefined : letter.toUpperCase().charCodeAt(0) - 0x41
}

/** What a list of likely tokens says about the letters of the options. */
export interface Readout {
  /**
   * The logarithm of each letter's probability, all its spellings together. For a letter that is not listed,
   * the most it can be.
   */
  readonly logs: ReadonlyArray<number>
  /** The probability of all listed letters together. */
  readonly mass: number
}

/**
 * Reads the probabilities of the first `count` letters from a list of likely tokens. A letter that is not
 * listed can be no likelier than the last token that is, nor have more than its share of the probability that
 * the list leaves. Fails with the reason why the list cannot be used. D40
 */
export const readLetters = (
  candidates: ReadonlyArray<Candidate>,
  count: number,
): E.Either<string, Readout> => {
  const masses = candidates.map(({ logprob }) => Math.exp(logprob))
  const listed = masses.reduce((sum, mass) => sum + mass, 0)
  if (candidates.some(({ logprob }) => !(logprob <= 0.001)) || listed > 1.02) {
    return E.left('its log-probabilities are no logarithms of probabilities')
  }
  const letters = new Map<number, number[]>()
  for (const candidate of candidates) {
    const letter = letterOf(candidate.token) ?? letterOf(candidate.spelled ?? '')
    if (letter === undefined || letter >= count) continue
    letters.set(letter, [...(letters.get(letter) ?? []), candidate.logprob])
  }
  const missing = count - letters.size
  if (missing > 0 && candidates.length < count) {
    return E.left(`it listed ${candidates.length} likely tokens for ${count} options`)
  }
  const bound = Math.min(...masses, Math.max(0, 1 - listed) / Math.max(1, missing))
  const logs = Array.from({ length: count }, (_, letter) => {
    const found = letters.get(letter)
    return found === undefined ? Math.log(bound) : logSum(found)
  })
  const mass = [...letters.values()].reduce((sum, found) => sum + Math.exp(logSum(found)), 0)
  return E.right({ logs, mass })
}

/** The logarithm of a sum of probabilities that are given by their logarithms. */
const logSum = (logs: ReadonlyArray<number>): number => {
  const highest = Math.max(...logs)
  return highest + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - highest), 0))
}
