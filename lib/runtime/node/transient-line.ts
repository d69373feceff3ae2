/** A transient line is the last line of a terminal, which svc redraws and finally erases, such as a progress report. */
import type { Clock, Output } from '../runtime'

/** The control sequence that erases the current line of a terminal. */
export const eraseLine = '\r\u001b[K'

const redrawIntervalMs = 1000

/** Returns the terminal's width minus three characters: the cursor, and the `^C` that terminals print on an interrupt. */
export const maxLineLength = (output: Output): number => (output.columns ?? 80) - 3

/** A line of the terminal that is redrawn every second. */
export interface TickingLine {
  /** Redraws the line now. */
  readonly draw: () => void
  /** Erases the line and stops redrawing it. */
  readonly stop: () => Promise<void>
}

/** Shows a line on a terminal, now and every second. `formatLine` gets the seconds since this call. */
export const showTickingLine = (
  output: Output,
  clock: Clock,
  formatLine: (seconds: number) => string,
): TickingLine => {
  const startMs = clock.monotonic()
  let cancelTimer = (): void => undefined
  const draw = (): void => {
    const text = formatLine((clock.monotonic() - startMs) / 1000).slice(0, maxLineLength(output))
    // Drawing is not awaited, and an error is ignored: the line only informs, and the run must go on.
    output.write(`${eraseLine}${text}`).catch(() => undefined)
  }
  const drawAndRepeat = (): void => {
    draw()
    cancelTimer = clock.timer(redrawIntervalMs, drawAndRepeat)
  }
  drawAndRepeat()
  return {
    draw,
    stop: () => {
      cancelTimer()
      return output.write(eraseLine)
    },
  }
}
