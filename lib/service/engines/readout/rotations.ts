import { rotateList } from '../../../runtime/random'

/**
 * Returns the orders in which the options are shown: the given one and evenly spread rotations of it, `rotations` in
 * total but at most one per option. Models favour some letters regardless of their options; the mean over several
 * orders evens this out.
 */
export const rotate = <A>(
  options: ReadonlyArray<A>,
  rotations: number,
): ReadonlyArray<ReadonlyArray<A>> => {
  const many = Math.min(rotations, options.length)
  return Array.from({ length: many }, (_, turn) => {
    const by = Math.floor((turn * options.length) / many)
    return rotateList(options, by)
  })
}

/** The mean of the distributions that were read for the orders of `rotate`, in the original order. */
export const unrotate = (
  distributions: ReadonlyArray<ReadonlyArray<number>>,
): ReadonlyArray<number> => {
  const many = distributions.length
  const size = distributions[0]?.length ?? 0
  return Array.from({ length: size }, (_, option) =>
    distributions.reduce((sum, distribution, turn) => {
      const by = Math.floor((turn * size) / many)
      return sum + (distribution[(option - by + size) % size] ?? 0) / many
    }, 0),
  )
}
