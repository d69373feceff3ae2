import type { Clock, Output } from '../runtime/runtime'

/** Shows people who wait how far a run has come. */
export interface Progress {
  readonly started: () => void
  readonly finished: () => void
  /** Erases the line. */
  readonly stop: () => Promise<void>
}

const erase = '\r\u001b[K'
const intervalMs = 1000

/** Keeps a line on a terminal with units done, units running and the time so far; silent elsewhere. */
export const progressLine = (output: Output, clock: Clock, total: number): Progress => {
  if (!output.isTTY) return silent
  const begin = clock.monotonic()
  let running = 0
  let done = 0
  let cancel = (): void => undefined
  const draw = (): void => {
    const seconds = Math.floor((clock.monotonic() - begin) / 1000)
    const line = `review: ${done} of ${total} units done, ${running} running, ${seconds}s`
    output.write(`${erase}${line.slice(0, (output.columns ?? 80) - 1)}`).catch(() => undefined)
  }
  const tick = (): void => {
    draw()
    cancel = clock.timer(intervalMs, tick)
  }
  tick()
  return {
    started: () => {
      running += 1
      draw()
    },
    finished: () => {
      running -= 1
      done += 1
      draw()
    },
    stop: () => {
      cancel()
      return output.write(erase)
    },
  }
}

const silent: Progress = {
  started: () => undefined,
  finished: () => undefined,
  stop: () => Promise.resolve(),
}
