import * as E from 'fp-ts/Either'

/** A likely next token. */
export interface Candidate {
  readonly token: string
  /** The text of the token's bytes, if the endpoint sends bytes and their text differs from `token`. */
  readonly decodedText?: string
  /** The natural logarithm of the token's probability. */
  readonly logprob: number
}

/** The maximum number of options in one prompt, because OpenAI and other services list at most 20 tokens. */
export const maxLetters = 20

/** The character code of the letter A. */
const codeOfA = 0x41

/** Returns the letter of the option at `index`: A for 0. */
export const getLetter = (index: number): string => String.fromCharCode(codeOfA + index)

/**
 * Matches a letter in upper or lower case, also with spaces around it, in quotes, brackets or asterisks, or before a full stop, comma
 * or colon: `A`, ` a`, `(A)`, `**A**`, `A:`. In the vocabularies of tokenizers `▁` and `Ġ` mean a space, and `Ċ` a line break.
 */
const letterSpelling = /^[\s▁ĠĊ]*["'`([*]*([A-Za-z])["'`)\]*]*[.:,]?[\s▁ĠĊ]*$/u

/** Parses a token as the letter of an option. Returns the option's index, 0 for A, or `undefined` if it is not a letter. */
export const parseLetter = (text: string): number | undefined => {
  const letter = letterSpelling.exec(text)?.[1]
  return letter === undefined ? undefined : letter.toUpperCase().charCodeAt(0) - codeOfA
}

/** The maximum log-probability. Rounding errors raise it slightly above 0. */
const maxLogprob = 0.001

/** The maximum sum of probabilities. Rounding errors raise it slightly above 1. */
const maxTotalProbability = 1.02

/** The probabilities of the options' letters. */
interface Readout {
  /** The logarithm of each letter's probability, summed over its spellings. For a letter that is not listed, an upper bound. */
  readonly logprobs: ReadonlyArray<number>
  /** The sum of the probabilities of all listed letters. */
  readonly letterProbability: number
}

/**
 * Reads the probabilities of the first `letterCount` letters from a list of likely tokens. The probability of a missing letter is
 * estimated as the smaller of two bounds: the probability of the least likely token in the list, and an equal share of the
 * probability outside the list. Fails with the reason if the list is not usable.
 */
export const readLetters = (
  candidates: ReadonlyArray<Candidate>,
  letterCount: number,
): E.Either<string, Readout> => {
  const probabilities = candidates.map(({ logprob }) => Math.exp(logprob))
  const total = probabilities.reduce((sum, probability) => sum + probability, 0)
  if (!candidates.every(({ logprob }) => logprob <= maxLogprob) || total > maxTotalProbability) {
    return E.left('its log-probabilities are no logarithms of probabilities')
  }
  const logprobsByLetter = groupByLetter(candidates, letterCount)
  const missingLetters = letterCount - logprobsByLetter.size
  if (missingLetters > 0 && candidates.length < letterCount) {
    return E.left(`it listed ${candidates.length} likely tokens for ${letterCount} options`)
  }
  // If no letter is missing, the next two values are not used.
  const equalShare = Math.max(0, 1 - total) / Math.max(1, missingLetters)
  const missingLogprob = Math.log(Math.min(...probabilities, equalShare))
  const logprobs: number[] = []
  let letterProbability = 0
  for (let letterIndex = 0; letterIndex < letterCount; letterIndex += 1) {
    const listedLogprobs = logprobsByLetter.get(letterIndex)
    const logprob = listedLogprobs === undefined ? missingLogprob : logSumExp(listedLogprobs)
    logprobs.push(logprob)
    if (listedLogprobs !== undefined) letterProbability += Math.exp(logprob)
  }
  return E.right({ logprobs, letterProbability })
}

/** Groups the log-probabilities of the tokens that spell one of the first `letterCount` letters by the letter's index, 0 for A. */
const groupByLetter = (
  candidates: ReadonlyArray<Candidate>,
  letterCount: number,
): ReadonlyMap<number, ReadonlyArray<number>> => {
  const logprobsByLetter = new Map<number, number[]>()
  for (const { token, decodedText = '', logprob } of candidates) {
    const letterIndex = parseLetter(token) ?? parseLetter(decodedText)
    if (letterIndex === undefined || letterIndex >= letterCount) continue
    logprobsByLetter.set(letterIndex, [...(logprobsByLetter.get(letterIndex) ?? []), logprob])
  }
  return logprobsByLetter
}

/** Computes the logarithm of a sum of probabilities from their logarithms. */
const logSumExp = (logprobs: ReadonlyArray<number>): number => {
  const max = Math.max(...logprobs)
  return max + Math.log(logprobs.reduce((sum, logprob) => sum + Math.exp(logprob - max), 0))
}
