/** Runs `task` over `items`, `width` at a time, and gives each item's promise by its place. */
export const pool = <A, B>(
  items: ReadonlyArray<A>,
  width: number,
  task: (item: A) => Promise<B>,
): ReadonlyArray<Promise<B>> => {
  const lanes: Promise<unknown>[] = Array.from({ length: width }, () => Promise.resolve())
  return items.map((item, index) => {
    const lane = index % width
    const result = Promise.resolve(lanes[lane]).then(() => task(item))
    // A failure is its own test's: the lane goes on.
    lanes[lane] = result.catch(() => undefined)
    return result
  })
}
