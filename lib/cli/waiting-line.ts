import type { Clock, Output } from '../runtime/runtime'
import { drawLine, erase } from '../runtime/transient-line'
import { sanitize } from '../text/harmless'

/** Tells a person at a terminal what a call waits for. D63 */
export interface WaitingLine {
  /** Attempt `number`, counted from 1, follows one that failed for this reason. */
  readonly retry: (number: number, why: string) => void
  /** Writes whole lines to the terminal, where the waiting line must not stand before them. */
  readonly write: (lines: string) => Promise<void>
  /** Takes the line away for good. Calling it again does nothing. */
  readonly stop: () => Promise<void>
}

/** Nothing is shown before that, in milliseconds. */
const patienceMs = 2000
const intervalMs = 1000

/**
 * A line on a terminal that is drawn again each second: what is awaited, for how many seconds, which of `attempts`
 * this is and why the last one failed. D63
 */
export const waitingLine = (
  output: Output,
  clock: Clock,
  { awaited, attempts }: WaitingFor,
): WaitingLine => {
  const begin = clock.monotonic()
  let [attempt, reason] = [1, '']
  let shown = false
  const draw = (): void => {
    const seconds = Math.floor((clock.monotonic() - begin) / 1000)
    drawLine(output, `svc: ${awaited}: ${seconds}s, attempt ${attempt} of ${attempts}${reason}`)
    shown = true
    cancel = clock.timer(intervalMs, draw)
  }
  let cancel = clock.timer(patienceMs, draw)
  /** What has to be written first, so that the line is gone. */
  const away = (): string => {
    const first = shown ? erase : ''
    shown = false
    return first
  }
  return {
    retry: (number, why) => {
      attempt = number
      reason = ` (${sanitize(why)})`
    },
    write: (lines) => output.write(away() + lines),
    stop: async () => {
      cancel()
      const first = away()
      // Where the terminal is gone, so is the line.
      if (first !== '') await output.write(first).catch(() => undefined)
    },
  }
}

/** What is awaited (`POST /v1/questions`), and in how many attempts at most. */
export interface WaitingFor {
  readonly awaited: string
  readonly attempts: number
}
