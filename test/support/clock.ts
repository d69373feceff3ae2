import { nodeClock } from '../../lib/runtime/node/clock'
import type { Clock } from '../../lib/runtime/runtime'

/** A clock that the test moves. */
export interface ManualClock extends Clock {
  /** Every sleep, in ms. A sleep takes no time and moves the clock. */
  readonly waits: ReadonlyArray<number>
  /** The timers that run, each by its whole time in ms. */
  readonly timers: () => ReadonlyArray<number>
  /** Moves the clock and fires the timers that are due by then. */
  readonly pass: (ms: number) => void
}

/** A clock that stands still but for sleeps and `pass`. */
export const createManualClock = (start = Date.UTC(2026, 0, 1)): ManualClock => {
  let time = start
  const waits: number[] = []
  const timers = new Set<{ readonly ms: number; readonly due: number; readonly run: () => void }>()
  const pass = (ms: number): void => {
    time += ms
    for (const timer of [...timers].filter(({ due }) => due <= time)) {
      timers.delete(timer)
      timer.run()
    }
  }
  return {
    now: () => time,
    monotonic: () => time,
    sleep: async (ms, signal) => {
      if (signal?.aborted) return
      waits.push(ms)
      pass(ms)
    },
    timer: (ms, run) => {
      const timer = { ms, due: time + ms, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    waits,
    timers: () => [...timers].map(({ ms }) => ms),
    pass,
  }
}

/** The same with the machine's timers, for what has to end by itself. */
export const createSleeplessClock = (start?: number): ManualClock => ({
  ...createManualClock(start),
  timer: nodeClock.timer,
})
