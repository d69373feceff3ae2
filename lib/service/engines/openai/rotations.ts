/**
 * Orders in which the same options are shown: `rotations` of them, spread evenly, never one twice.
 * The first is the given order. Models favour some letters; the mean over rotations favours fewer. D40
 */
export const rotate = <A>(
  options: ReadonlyArray<A>,
  rotations: number,
): ReadonlyArray<ReadonlyArray<A>> => {
  const many = Math.min(rotations, options.length)
  return Array.from({ length: many }, (_, turn) => {
    const by = Math.floor((turn * options.length) / many)
    return [...options.slice(by), ...options.slice(0, by)]
  })
}

/** The mean of distributions read under `rotate(…)`'s orders, in the given order. */
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
