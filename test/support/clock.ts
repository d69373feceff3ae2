import { nodeClock } from '../../lib/runtime/node/clock'
import type { Clock } from '../../lib/runtime/runtime'

/** A clock that the test advances. All times are in milliseconds. */
export interface ManualClock extends Clock {
  /** The durations of all sleeps so far. A sleep takes no time and advances the clock. */
  readonly waits: ReadonlyArray<number>
  /** Lists the durations with which the running timers were started. */
  readonly timers: () => ReadonlyArray<number>
  /** Advances the clock at once. Then fires the timers that are due, in the order in which they were started. */
  readonly advance: (ms: number) => void
}

/** Creates a clock that moves only by sleeps and by `advance`. `start` is in milliseconds since the epoch. */
export const createManualClock = (start = Date.UTC(2026, 0, 1)): ManualClock => {
  let now = start
  const waits: number[] = []
  const timers = new Set<{ readonly ms: number; readonly due: number; readonly run: () => void }>()
  const advance = (ms: number): void => {
    now += ms
    for (const timer of [...timers]) {
      if (timer.due > now) continue
      timers.delete(timer)
      timer.run()
    }
  }
  return {
    now: () => now,
    monotonic: () => now,
    sleep: async (ms, signal) => {
      if (signal?.aborted) return
      waits.push(ms)
      advance(ms)
    },
    timer: (ms, run) => {
      const timer = { ms, due: now + ms, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    waits,
    timers: () => [...timers].map(({ ms }) => ms),
    advance,
  }
}

/**
 * Creates a manual clock whose timers are real timers of Node, for code that ends only when a timer fires. `advance` fires none of
 * them, and `timers` always returns an empty list.
 */
export const createSleeplessClock = (start?: number): ManualClock => ({
  ...createManualClock(start),
  timer: nodeClock.timer,
})
