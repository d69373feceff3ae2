import * as O from 'fp-ts/Option'

/** Lets so much work run at a time. What comes meanwhile waits in line. */
export interface WorkQueue {
  /**
   * Runs `work` when it is its turn: of each `holder` what came first, and of one holder after the other, so that
   * nobody waits for all that another has brought. `none` where the line is full, and where `signal` fires before
   * the turn has come: the work was then never begun. Rejects only as `work` does.
   */
  readonly run: <A>(
    signal: AbortSignal,
    work: () => Promise<A>,
    holder?: string,
  ) => Promise<O.Option<A>>
  /** How much runs now. */
  readonly running: () => number
  /** How much waits for its turn. */
  readonly waiting: () => number
}

/** A queue that runs at most `maxRunning` at once and keeps at most `maxWaiting` in line. */
export const workQueue = (maxRunning: number, maxWaiting: number): WorkQueue => {
  let running = 0
  const lines = new Map<string, Set<() => void>>()
  let waiting = 0

  /** Waits in line. Resolves to `false` when `signal` fires before it is this one's turn. */
  const turn = (signal: AbortSignal, holder: string): Promise<boolean> =>
    new Promise((resolve) => {
      const line = lines.get(holder) ?? new Set()
      lines.set(holder, line)
      waiting += 1
      const begin = (): void => {
        signal.removeEventListener('abort', leave)
        resolve(true)
      }
      const leave = (): void => {
        line.delete(begin)
        if (line.size === 0) lines.delete(holder)
        waiting -= 1
        resolve(false)
      }
      line.add(begin)
      signal.addEventListener('abort', leave, { once: true })
    })

  /** Hands the place that has become free to the next in line. */
  const passOn = (): void => {
    const [first] = lines
    if (first === undefined) {
      running -= 1
      return
    }
    const [holder, line] = first
    const [next] = line
    if (next !== undefined) line.delete(next)
    // The holder's further work stands behind that of all others.
    lines.delete(holder)
    if (line.size > 0) lines.set(holder, line)
    waiting -= 1
    next?.()
  }

  return {
    run: async (signal, work, holder = '') => {
      if (signal.aborted) return O.none
      if (running < maxRunning) running += 1
      else if (waiting >= maxWaiting || !(await turn(signal, holder))) return O.none
      try {
        return O.some(await work())
      } finally {
        passOn()
      }
    },
    running: () => running,
    waiting: () => waiting,
  }
}
