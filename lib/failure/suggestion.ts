import { distance } from 'fastest-levenshtein'

/** Longer names are not compared, because the time grows with the square of the length. */
const maxLength = 100

/** Messages suggest at most this many names. */
const maxSuggestions = 3

/**
 * Formats a suggestion for a mistyped word, to append to a message; `''` if no candidate is similar. A candidate is similar
 * if at most a third of its letters differ, or else if it begins with the word.
 */
export const suggest = (typed: string, candidates: ReadonlyArray<string>, prefix = ''): string => {
  const word = typed.toLowerCase().slice(0, maxLength + 1)
  const allowed = Math.max(1, Math.floor(word.length / 3))
  const measured: Array<{ readonly name: string; readonly distance: number }> = []
  for (const name of candidates)
    if (name.length <= maxLength)
      measured.push({ name, distance: countMistypedLetters(word, name) })
  let nearest = Number.POSITIVE_INFINITY
  for (const one of measured) nearest = Math.min(nearest, one.distance)
  const similar =
    nearest <= allowed
      ? measured.filter((one) => one.distance === nearest)
      : measured.filter(({ name }) => word.length > 1 && name.startsWith(word))
  const names = similar.slice(0, maxSuggestions).map(({ name }) => prefix + name)
  return names.length === 0 ? '' : `; did you mean ${names.join(' or ')}?`
}

/** Counts the mistyped letters. Two swapped letters (`inti`) count as one; Levenshtein's distance counts two. */
const countMistypedLetters = (a: string, b: string): number =>
  a !== b && sortLetters(a) === sortLetters(b) ? 1 : distance(a, b)

const sortLetters = (word: string): string => [...word].sort().join('')
