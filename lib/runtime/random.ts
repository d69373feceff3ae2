import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { mersenne } from 'pure-rand/generator/mersenne'

/** A source of pseudo-random numbers that are the same for the same seed on every machine. */
export interface Random {
  /** A number in [0, 1). */
  readonly unit: () => number
  /** A whole number in [0, n). */
  readonly below: (n: number) => number
}

/** Creates a generator from a seed: the Mersenne Twister of Matsumoto and Nishimura (1998). */
export const createRandom = (seed: number): Random => {
  const generator = mersenne(seed)
  return {
    unit: () => uniformFloat64(generator),
    below: (n) => uniformInt(generator, 0, n - 1),
  }
}

/** The numbers 0 to n − 1 in random order; all orders are equally likely. Fisher and Yates (1938). */
export const shuffleNumbers = (n: number, random: Random): Uint32Array => {
  const places = new Uint32Array(n)
  for (let i = 0; i < n; i++) {
    const j = random.below(i + 1)
    places[i] = places[j] as number
    places[j] = i
  }
  return places
}

/** A list that begins with the element at index `by`; the elements before that follow at its end. */
export const rotateList = <A>(list: ReadonlyArray<A>, by: number): ReadonlyArray<A> => [
  ...list.slice(by),
  ...list.slice(0, by),
]
