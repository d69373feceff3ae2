import type { Clock, Output } from '../runtime/runtime'
import { drawLine, erase } from '../runtime/transient-line'
import { sanitize } from '../text/harmless'

/** A line on the terminal that shows what a call waits for. D63 */
interface WaitingLine {
  /** Shows that attempt `number` (the first is 1) follows one that failed for this reason. */
  readonly retry: (number: number, why: string) => void
  /** Writes whole lines to the terminal, erasing the waiting line before. */
  readonly write: (lines: string) => Promise<void>
  /** Erases the line for good. Further calls do nothing. */
  readonly stop: () => Promise<void>
}

/** How long nothing is shown, in milliseconds. */
const patienceMs = 2000
const intervalMs = 1000

/**
 * Creates a line that is redrawn each second: what is awaited, for how many seconds, which of `attempts` this
 * is, and why the last one failed. D63
 */
export const waitingLine = (
  output: Output,
  clock: Clock,
  { awaited, attempts, isShown }: WaitingFor,
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
  // `isShown` asks whether there is a terminal. It is called only now because that takes Node a millisecond.
  let cancel = clock.timer(patienceMs, () => {
    if (isShown()) draw()
  })
  /** Returns what has to be written to erase the line; `''` where it is not shown. */
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
      // A closed terminal shows no line.
      if (first !== '') await output.write(first).catch(() => undefined)
    },
  }
}

/** What is awaited, such as `POST /v1/questions`, the most attempts, and whether a line can be shown. */
interface WaitingFor {
  readonly awaited: string
  readonly attempts: number
  readonly isShown: () => boolean
}
