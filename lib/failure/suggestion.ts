import { distance } from 'fastest-levenshtein'

/** Longer names are not compared, because the time grows with the square of the length. */
const maxLength = 100

/** Suggests up to three candidates for a mistyped word, as the end of a message; `''` if none is similar. */
export const suggest = (typed: string, candidates: ReadonlyArray<string>, prefix = ''): string => {
  const word = typed.toLowerCase().slice(0, maxLength + 1)
  const allowed = Math.max(1, Math.floor(word.length / 3))
  const ranked: Array<{ readonly name: string; readonly far: number }> = []
  for (const name of candidates)
    if (name.length <= maxLength) ranked.push({ name, far: measureDistance(word, name) })
  const best = ranked.reduce((least, { far }) => Math.min(least, far), Number.POSITIVE_INFINITY)
  const near =
    best <= allowed
      ? ranked.filter(({ far }) => far === best)
      : ranked.filter(({ name }) => word.length > 1 && name.startsWith(word))
  const names = near.slice(0, 3).map(({ name }) => prefix + name)
  return names.length === 0 ? '' : `; did you mean ${names.join(' or ')}?`
}

/** Counts the mistyped letters. Two swapped letters (`inti`) count as one; Levenshtein's distance counts two. */
const measureDistance = (a: string, b: string): number =>
  a !== b && sortLetters(a) === sortLetters(b) ? 1 : distance(a, b)

const sortLetters = (word: string): string => [...word].sort().join('')
