import { distance } from 'fastest-levenshtein'

/** Longer names are not compared, because the time grows with the square of the length. */
const maxComparedLength = 100
const maxSuggestions = 3

/**
 * Formats a suggestion for a mistyped word, to append to a message; `''` if no candidate is similar. A candidate is similar
 * if at most a third of its letters differ, or else if it begins with the word.
 */
export const suggest = (typed: string, candidates: ReadonlyArray<string>, prefix = ''): string => {
  const word = typed.toLowerCase().slice(0, maxComparedLength + 1)
  const compared = candidates.filter((name) => name.length <= maxComparedLength)
  const mistypedLetters = compared.map((name) => countMistypedLetters(word, name))
  const fewest = mistypedLetters.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const isTypingError = fewest <= Math.max(1, Math.floor(word.length / 3))
  const similar = isTypingError
    ? compared.filter((_, index) => mistypedLetters[index] === fewest)
    : compared.filter((name) => word.length > 1 && name.startsWith(word))
  const names = similar.slice(0, maxSuggestions).map((name) => prefix + name)
  return names.length === 0 ? '' : `; did you mean ${names.join(' or ')}?`
}

/** Counts the mistyped letters. Two swapped letters (`inti`) count as one; Levenshtein's distance counts two. */
const countMistypedLetters = (a: string, b: string): number =>
  a !== b && sortLetters(a) === sortLetters(b) ? 1 : distance(a, b)

const sortLetters = (word: string): string => [...word].sort().join('')
