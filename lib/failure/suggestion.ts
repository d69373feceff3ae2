/** The longest name that is compared, because the time grows with the square of the length. D67 */
const longest = 100
/** The most names in a suggestion. */
const mostNamed = 3

/**
 * Suggests candidates for a mistyped word, as the end of a message: `; did you mean x or y?`. `''` where none
 * is similar. D19
 */
export const suggest = (typed: string, candidates: ReadonlyArray<string>, prefix = ''): string => {
  const known = candidates.filter((name) => name.length <= longest)
  const word = typed.toLowerCase()
  const allowed = Math.max(1, Math.floor(word.length / 3))
  const ranked = known.map((name) => ({ name, far: measureDistance(word, name, allowed) }))
  const best = ranked.reduce((least, { far }) => Math.min(least, far), Number.POSITIVE_INFINITY)
  const near =
    best <= allowed
      ? ranked.filter(({ far }) => far === best)
      : ranked.filter(({ name }) => word.length > 1 && name.startsWith(word))
  const names = near.slice(0, mostNamed).map(({ name }) => prefix + name)
  return names.length === 0 ? '' : `; did you mean ${names.join(' or ')}?`
}

/**
 * The distance of two words: how many insertions, deletions, substitutions and swaps of neighbours turn `a`
 * into `b` (optimal string alignment). `most + 1` where their lengths differ by more than `most`.
 */
const measureDistance = (a: string, b: string, most: number): number => {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min(
        valueAt(last, j) + 1,
        valueAt(row, j - 1) + 1,
        valueAt(last, j - 1) + same,
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, valueAt(before, j - 2) + 1)
      }
      row.push(cost)
    }
    before = last
    last = row
  }
  return valueAt(last, b.length)
}

const valueAt = (row: ReadonlyArray<number>, index: number): number => row[index] ?? 0
