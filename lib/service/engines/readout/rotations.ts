import { rotateList } from '../../../runtime/random'

/**
 * Returns `rotations` orders of the options, but at most as many as there are options. The first is the original order, the others
 * are its rotations by evenly spread offsets. Models prefer some letters to others; the mean over several orders reduces this bias.
 */
export const rotateOptions = <A>(
  options: ReadonlyArray<A>,
  rotations: number,
): ReadonlyArray<ReadonlyArray<A>> => {
  const count = Math.min(rotations, options.length)
  return Array.from({ length: count }, (_, index) =>
    rotateList(options, computeOffset(index, options.length, count)),
  )
}

/** Computes the mean of the distributions for the orders of `rotateOptions`. The result has the original order. */
export const averageRotations = (
  distributions: ReadonlyArray<ReadonlyArray<number>>,
): ReadonlyArray<number> => {
  const count = distributions.length
  const size = distributions[0]?.length ?? 0
  return Array.from({ length: size }, (_, option) => {
    let mean = 0
    for (const [index, distribution] of distributions.entries()) {
      const position = (option - computeOffset(index, size, count) + size) % size
      mean += (distribution[position] ?? 0) / count
    }
    return mean
  })
}

/** Computes the offset of the rotation at `index`: 0, 3 and 6 for 3 rotations of 10 options. */
const computeOffset = (index: number, optionCount: number, rotationCount: number): number =>
  Math.floor((index * optionCount) / rotationCount)
