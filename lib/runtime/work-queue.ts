import * as O from 'fp-ts/Option'

/** Limits how many jobs run at a time. Further jobs wait in a queue. */
export interface WorkQueue {
  /**
   * Runs `work` when its turn comes. Resolves to `none` without running `work` if the queue is full, or if `signal` fires before the
   * job starts. Rejects only if `work` rejects.
   *
   * `holder` says for whom the job is, such as an API key of a service. All jobs without a holder count as those of one. Holders take
   * turns, so a holder with many jobs does not block the others. The jobs of one holder start in order.
   */
  readonly run: <A>(
    signal: AbortSignal,
    work: () => Promise<A>,
    holder?: string,
  ) => Promise<O.Option<A>>
  /** Counts the jobs that are running. */
  readonly countRunning: () => number
  /** Counts the jobs that are waiting. */
  readonly countWaiting: () => number
}

/** Creates a queue that runs at most `maxRunning` jobs at a time. At most `maxWaiting` further jobs wait. */
export const createWorkQueue = (maxRunning: number, maxWaiting: number): WorkQueue => {
  let runningCount = 0
  let waitingCount = 0
  /** The waiting jobs by holder, each as the function that starts it. The holder whose turn is next comes first. */
  const waitingByHolder = new Map<string, Set<() => void>>()

  /** Waits for a turn. Resolves to `false` if `signal` fires first. */
  const waitForTurn = (signal: AbortSignal, holder: string): Promise<boolean> =>
    new Promise((resolve) => {
      const jobs = waitingByHolder.get(holder) ?? new Set()
      waitingByHolder.set(holder, jobs)
      waitingCount += 1
      const start = (): void => {
        signal.removeEventListener('abort', giveUp)
        resolve(true)
      }
      const giveUp = (): void => {
        jobs.delete(start)
        if (jobs.size === 0) waitingByHolder.delete(holder)
        waitingCount -= 1
        resolve(false)
      }
      jobs.add(start)
      signal.addEventListener('abort', giveUp, { once: true })
    })

  /** Starts the next waiting job in place of a job that has ended, so the number of running jobs stays the same. */
  const startNext = (): void => {
    const [firstEntry] = waitingByHolder
    // A holder in the map has at least one waiting job, so `start` is only undefined if no job waits.
    const [start] = firstEntry?.[1] ?? []
    if (firstEntry === undefined || start === undefined) {
      runningCount -= 1
      return
    }
    const [holder, jobs] = firstEntry
    jobs.delete(start)
    // A `Map` keeps the order of insertion. Deleting and setting the holder moves it behind all others.
    waitingByHolder.delete(holder)
    if (jobs.size > 0) waitingByHolder.set(holder, jobs)
    waitingCount -= 1
    start()
  }

  return {
    run: async (signal, work, holder = '') => {
      if (signal.aborted) return O.none
      if (runningCount < maxRunning) {
        runningCount += 1
      } else {
        const isFull = waitingCount >= maxWaiting
        if (isFull || !(await waitForTurn(signal, holder))) return O.none
      }
      try {
        return O.some(await work())
      } finally {
        startNext()
      }
    },
    countRunning: () => runningCount,
    countWaiting: () => waitingCount,
  }
}
