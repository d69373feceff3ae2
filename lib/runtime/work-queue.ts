import * as O from 'fp-ts/Option'

/** Lets so much work run at a time. What comes meanwhile waits in line, first come, first served. */
export interface WorkQueue {
  /**
   * Runs `work` when it is its turn. `none` where the line is full, and where `signal` fires before
   * the turn has come: the work was then never begun. Rejects only as `work` does.
   */
  readonly run: <A>(signal: AbortSignal, work: () => Promise<A>) => Promise<O.Option<A>>
  /** How much runs now. */
  readonly running: () => number
  /** How much waits for its turn. */
  readonly waiting: () => number
}

/** A queue that runs at most `maxRunning` at once and keeps at most `maxWaiting` in line. */
export const workQueue = (maxRunning: number, maxWaiting: number): WorkQueue => {
  let running = 0
  const line = new Set<() => void>()

  /** Waits in line. Resolves to `false` when `signal` fires before it is this one's turn. */
  const turn = (signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      const begin = (): void => {
        signal.removeEventListener('abort', leave)
        resolve(true)
      }
      const leave = (): void => {
        line.delete(begin)
        resolve(false)
      }
      line.add(begin)
      signal.addEventListener('abort', leave, { once: true })
    })

  /** Hands the place that has become free to the next in line. */
  const passOn = (): void => {
    const [next] = line
    if (next === undefined) {
      running -= 1
      return
    }
    line.delete(next)
    next()
  }

  return {
    run: async (signal, work) => {
      if (signal.aborted) return O.none
      if (running < maxRunning) running += 1
      else if (line.size >= maxWaiting || !(await turn(signal))) return O.none
      try {
        return O.some(await work())
      } finally {
        passOn()
      }
    },
    running: () => running,
    waiting: () => line.size,
  }
}
