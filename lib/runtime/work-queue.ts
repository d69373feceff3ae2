import * as O from 'fp-ts/Option'

/** Limits how much work runs at a time. Further work waits in a queue. */
export interface WorkQueue {
  /**
   * Runs `work` when its turn comes. Holders take turns, so that nobody waits for everything that another has
   * queued; the work of one holder runs in order of arrival. `none` where the queue is full, and where `signal`
   * fires before the turn: `work` is then never started. Rejects only as `work` does.
   */
  readonly run: <A>(
    signal: AbortSignal,
    work: () => Promise<A>,
    holder?: string,
  ) => Promise<O.Option<A>>
  /** The number of works that are running. */
  readonly running: () => number
  /** The number of works that are waiting. */
  readonly waiting: () => number
}

/** Creates a queue that runs at most `maxRunning` works at once and lets at most `maxWaiting` wait. */
export const createWorkQueue = (maxRunning: number, maxWaiting: number): WorkQueue => {
  let running = 0
  const lines = new Map<string, Set<() => void>>()
  let waiting = 0

  /** Waits for a turn. Resolves to `false` when `signal` fires first. */
  const waitForTurn = (signal: AbortSignal, holder: string): Promise<boolean> =>
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

  /** Gives the free place to the next waiting work. */
  const admitNext = (): void => {
    const [first] = lines
    if (first === undefined) {
      running -= 1
      return
    }
    const [holder, line] = first
    const [next] = line
    if (next !== undefined) line.delete(next)
    // Moves the holder to the end, behind all others.
    lines.delete(holder)
    if (line.size > 0) lines.set(holder, line)
    waiting -= 1
    next?.()
  }

  return {
    run: async (signal, work, holder = '') => {
      if (signal.aborted) return O.none
      if (running < maxRunning) running += 1
      else if (waiting >= maxWaiting || !(await waitForTurn(signal, holder))) return O.none
      try {
        return O.some(await work())
      } finally {
        admitNext()
      }
    },
    running: () => running,
    waiting: () => waiting,
  }
}
