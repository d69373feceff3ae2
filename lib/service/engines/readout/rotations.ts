import { rotateList } from '../../../runtime/random'

/**
 * Returns `rotations` orders of the options, but at most as many as there are options. The first is the original order, the others
 * are its rotations by evenly spread offsets. Models prefer some letters to others; the mean over several orders reduces this bias.
 */
export const rotateOptions = <A>(
  options: ReadonlyArray<A>,
  rotations: number,
): ReadonlyArray<ReadonlyArray<A>> => {
  const rotationCount = Math.min(rotations, options.length)
  return Array.from({ length: rotationCount }, (_, index) =>
    rotateList(options, computeOffset(index, options.length, rotationCount)),
  )
}

/** Computes the mean of the distributions for the orders of `rotateOptions`. The result has the original order. */
export const averageRotations = (
  distributions: ReadonlyArray<ReadonlyArray<number>>,
): ReadonlyArray<number> => {
  const rotationCount = distributions.length
  const optionCount = distributions[0]?.length ?? 0
  return Array.from({ length: optionCount }, (_, option) => {
    let mean = 0
    for (const [index, distribution] of distributions.entries()) {
      // A rotation begins with the option whose index is the offset.
      const offset = computeOffset(index, optionCount, rotationCount)
      const position = (option - offset + optionCount) % optionCount
      mean += (distribution[position] ?? 0) / rotationCount
    }
    return mean
  })
}

/** Computes the offset of the rotation at `index`: 0, 3 and 6 for 3 rotations of 10 options. */
const computeOffset = (index: number, optionCount: number, rotationCount: number): number =>
  Math.floor((index * optionCount) / rotationCount)
