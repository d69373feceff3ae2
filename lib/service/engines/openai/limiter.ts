/** Runs what it is given, in the order it comes, at most so many at once. */
export type Limiter = <A>(run: () => Promise<A>) => Promise<A>

/** A limiter for `most` runs at once. */
export const limiter = (most: number): Limiter => {
  let running = 0
  const waiting: Array<() => void> = []
  return async (run) => {
    if (running >= most) await new Promise<void>((go) => waiting.push(go))
    else running += 1
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
