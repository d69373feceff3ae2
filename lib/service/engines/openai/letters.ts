import * as E from 'fp-ts/Either'

/** One entry of an engine's list of likely next tokens. */
export interface Candidate {
  readonly token: string
  /** The token's UTF-8 bytes as text, where the engine sends them and they differ. */
  readonly spelled?: string
  readonly logprob: number
}

/** How many likely tokens are asked for, and so how many options one call can tell apart. D40 */
export const mostLetters = 20

/** The letter of the option at `index`. */
export const letterAt = (index: number): string => String.fromCharCode(0x41 + index)

/**
 * A letter as tokenizers spell it: blanks before it (`▁` and `Ġ` stand for one in raw vocabularies),
 * either case, an opening quote or bracket, and what may end an answer of one letter.
 */
const spelling = /^[\s▁ĠĊ]*["'`([*]*([A-Za-z])["'`)\]*]*[.:,]?[\s▁ĠĊ]*$/u

const letterOf = ({ token, spelled }: Candidate): number | undefined => {
  const letter = spelling.exec(token)?.[1] ?? spelling.exec(spelled ?? '')?.[1]
  return letter === undefined ? undefined : letter.toUpperCase().charCodeAt(0) - 0x41
}

/** What a list of candidates says about the first `count` letters. */
export interface Readout {
  /** Log of each letter's probability, its spellings merged; missing letters at their bound. */
  readonly logs: ReadonlyArray<number>
  /** The probability of all letters together, those returned only. */
  readonly mass: number
}

/**
 * Reads the letters off a list. A letter that is not listed is bounded by the smallest returned value
 * and by its share of what the list leaves. `Left` says why the list cannot be used. D40
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
    const letter = letterOf(candidate)
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

/** The log of a sum of probabilities given by their logs. */
const logSum = (logs: ReadonlyArray<number>): number => {
  const highest = Math.max(...logs)
  return highest + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - highest), 0))
}
