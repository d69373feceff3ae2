import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { mersenne } from 'pure-rand/generator/mersenne'

/** Generates pseudo-random numbers. A seed gives the same numbers on every machine. */
export interface Random {
  /** Returns a number in [0, 1). */
  readonly nextFloat: () => number
  /** Returns a whole number from 0 to `bound` − 1. */
  readonly nextInt: (bound: number) => number
}

/** Creates a generator from a seed: the Mersenne Twister of Matsumoto and Nishimura (1998). */
export const createRandom = (seed: number): Random => {
  const generator = mersenne(seed)
  return {
    nextFloat: () => uniformFloat64(generator),
    nextInt: (bound) => uniformInt(generator, 0, bound - 1),
  }
}

/** Returns the numbers 0 to `count` − 1 in random order. All orders are equally likely. Fisher and Yates (1938). */
export const shuffleNumbers = (count: number, random: Random): Uint32Array => {
  const shuffled = new Uint32Array(count)
  for (let i = 0; i < count; i++) {
    // Puts `i` at a random place among the first i + 1 places, and the number from there at place i.
    const j = random.nextInt(i + 1)
    shuffled[i] = shuffled[j] as number
    shuffled[j] = i
  }
  return shuffled
}

/** Returns a copy of a list with its first `count` elements at its end. */
export const rotateList = <A>(list: ReadonlyArray<A>, count: number): ReadonlyArray<A> => [
  ...list.slice(count),
  ...list.slice(0, count),
]
