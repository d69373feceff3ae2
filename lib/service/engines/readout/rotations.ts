import { rotateList } from '../../../runtime/random'

/**
 * Returns the orders in which the options are shown: the given one and evenly spread rotations of it, `rotations` in
 * total but at most one per option. Models favour some letters regardless of their options; the mean over several
 * orders evens this out.
 */
export const rotateOptions = <A>(
  options: ReadonlyArray<A>,
  rotations: number,
): ReadonlyArray<ReadonlyArray<A>> => {
  const count = Math.min(rotations, options.length)
  return Array.from({ length: count }, (_, index) =>
    rotateList(options, offsetOf(index, options.length, count)),
  )
}

/** Computes the mean of the distributions that were read for the orders of `rotateOptions`, in the original order. */
export const averageRotations = (
  distributions: ReadonlyArray<ReadonlyArray<number>>,
): ReadonlyArray<number> => {
  const count = distributions.length
  const size = distributions[0]?.length ?? 0
  return Array.from({ length: size }, (_, option) =>
    distributions.reduce((mean, distribution, index) => {
      const position = (option - offsetOf(index, size, count) + size) % size
      return mean + (distribution[position] ?? 0) / count
    }, 0),
  )
}

/** The number of places by which the rotation at `index` is rotated. */
const offsetOf = (index: number, options: number, rotations: number): number =>
  Math.floor((index * options) / rotations)
