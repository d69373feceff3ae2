import type { Clock } from '../runtime'

/** The clock of this machine. */
export const nodeClock: Clock = {
  now: () => Date.now(),
  // Not `performance.now()`, for which Node loads a module on first use. That takes 1 to 2 ms.
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const finish = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      const timer = setTimeout(finish, ms)
      signal?.addEventListener('abort', finish)
    }),
  timer: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
