import { distance } from 'fastest-levenshtein'

/** Longer names are not compared, because the time grows with the square of the length. */
const maxComparedLength = 100
const maxSuggestions = 3

/**
 * Formats a suggestion for a mistyped word, to append to a message: `; did you mean --input?`. `candidates` are the names that are
 * valid there. Returns `''` if none of them is similar. `prefix` precedes each suggested name.
 */
export const suggest = (typed: string, candidates: ReadonlyArray<string>, prefix = ''): string =>
  formatSuggestion(typed, candidates, (name) => prefix + name)

/**
 * Formats a suggestion like `suggest`, with each name in quotes, because it may begin or end with a blank. A single character is
 * similar only to itself.
 */
export const suggestQuoted = (typed: string, candidates: ReadonlyArray<string>): string => {
  const isCharacter = typed.length === 1
  const isSame = (name: string): boolean => name.trim().toLowerCase() === typed.toLowerCase()
  const compared = isCharacter ? candidates.filter(isSame) : candidates
  return formatSuggestion(typed, compared, (name) => `"${name}"`)
}

const formatSuggestion = (
  typed: string,
  candidates: ReadonlyArray<string>,
  formatName: (name: string) => string,
): string => {
  const names = findSimilar(typed, candidates).slice(0, maxSuggestions).map(formatName)
  return names.length === 0 ? '' : `; did you mean ${names.join(' or ')}?`
}

/**
 * Finds the candidates that differ from the word in the fewest letters: in one letter, or in at most a third of its letters. If there is
 * none, finds the candidates that begin with the word, unless the word has only one letter.
 */
const findSimilar = (typed: string, candidates: ReadonlyArray<string>): ReadonlyArray<string> => {
  // A cut word is still one letter longer than any compared candidate, so it equals none of them.
  const word = typed.toLowerCase().slice(0, maxComparedLength + 1)
  const compared = candidates.filter((name) => name.length <= maxComparedLength)
  const mistypedLetters = compared.map((name) => countMistypedLetters(word, name))
  const fewest = mistypedLetters.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const maxMistyped = Math.max(1, Math.floor(word.length / 3))
  if (fewest <= maxMistyped) return compared.filter((_, index) => mistypedLetters[index] === fewest)
  return compared.filter((name) => word.length > 1 && name.startsWith(word))
}

/** Counts the mistyped letters. Words with the same letters in another order (`inti`) count as one; Levenshtein's distance would be 2. */
const countMistypedLetters = (a: string, b: string): number =>
  a !== b && sortLetters(a) === sortLetters(b) ? 1 : distance(a, b)

const sortLetters = (word: string): string => [...word].sort().join('')
