import * as E from 'fp-ts/Either'

/** A token that may come next. `logprob` is the natural logarithm of its probability. */
export interface Candidate {
  readonly token: string
  /** The text of the token's bytes, if the engine sends bytes and their text differs from `token`. */
  readonly decodedText?: string
  readonly logprob: number
}

/** The number of tokens that an engine is asked to list. It limits the options that one call can distinguish. */
export const maxLetters = 20

/** The letter of the option at `index`. */
export const letterOfOption = (index: number): string => String.fromCharCode(0x41 + index)

/**
 * Matches the spellings of a token that means a letter: upper or lower case, with blanks around it, in quotes or
 * brackets, followed by a full stop, comma or colon. In raw vocabularies of tokenizers `▁` and `Ġ` are blanks and `Ċ`
 * is a line break.
 */
const letterSpelling = /^[\s▁ĠĊ]*["'`([*]*([A-Za-z])["'`)\]*]*[.:,]?[\s▁ĠĊ]*$/u

/** Returns the index of the option that a letter means, 0 for A; `undefined` if the text is not a letter. */
export const parseLetter = (text: string): number | undefined => {
  const letter = letterSpelling.exec(text)?.[1]
  return letter === undefined ? undefined : letter.toUpperCase().charCodeAt(0) - 0x41
}

/** Rounding in an engine may raise a log-probability above 0, and a sum of probabilities above 1, up to these limits. */
const maxLogprob = 0.001
const maxTotal = 1.02

/** The probabilities of the options' letters in a list of likely tokens. */
interface Readout {
  /** The logarithm of each letter's probability over all its spellings, or an upper bound if it is not listed. */
  readonly logs: ReadonlyArray<number>
  /** The sum of the probabilities of all listed letters. */
  readonly mass: number
}

/**
 * Reads the probabilities of the first `count` letters from a list of likely tokens. A letter that is not
 * listed cannot be likelier than the last token that is, nor than its equal share of the probability that the
 * list leaves. Fails with the reason why the list cannot be used.
 */
export const readLetters = (
  candidates: ReadonlyArray<Candidate>,
  count: number,
): E.Either<string, Readout> => {
  const probabilities = candidates.map(({ logprob }) => Math.exp(logprob))
  const total = probabilities.reduce((sum, probability) => sum + probability, 0)
  if (!candidates.every(({ logprob }) => logprob <= maxLogprob) || total > maxTotal) {
    return E.left('its log-probabilities are no logarithms of probabilities')
  }
  const letters = new Map<number, number[]>()
  for (const candidate of candidates) {
    const letter = parseLetter(candidate.token) ?? parseLetter(candidate.decodedText ?? '')
    if (letter === undefined || letter >= count) continue
    letters.set(letter, [...(letters.get(letter) ?? []), candidate.logprob])
  }
  const missing = count - letters.size
  if (missing > 0 && candidates.length < count) {
    return E.left(`it listed ${candidates.length} likely tokens for ${count} options`)
  }
  const bound = Math.min(...probabilities, Math.max(0, 1 - total) / Math.max(1, missing))
  const logs = Array.from({ length: count }, (_, letter) => {
    const spellings = letters.get(letter)
    return spellings === undefined ? Math.log(bound) : logSum(spellings)
  })
  const mass = [...letters.values()].reduce(
    (sum, spellings) => sum + Math.exp(logSum(spellings)),
    0,
  )
  return E.right({ logs, mass })
}

/** The logarithm of a sum of probabilities, given their logarithms. */
const logSum = (logs: ReadonlyArray<number>): number => {
  const highest = Math.max(...logs)
  return highest + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - highest), 0))
}
