/** A transient line is the last line of a terminal, which svc redraws and finally erases, such as a progress report. */
import type { Clock, Output } from '../runtime'

/** The control sequence that erases the current line of a terminal. */
export const eraseLine = '\r\u001b[K'

/** When a transient line is drawn, in milliseconds. */
interface DrawTimes {
  /** The time until the line appears. A run that ends before shows no line. */
  readonly delayMs: number
  readonly intervalMs: number
}

/** By default a line appears at once, and is redrawn every second. */
const defaultDrawTimes: DrawTimes = { delayMs: 0, intervalMs: 1000 }

/** Returns the terminal's width minus three characters: the cursor, and the `^C` that terminals print on an interrupt. */
export const maxLineLength = (output: Output): number => (output.columns ?? 80) - 3

/** A line of the terminal that is redrawn at intervals. */
export interface TickingLine {
  /** Redraws the line now. */
  readonly draw: () => void
  /** Erases the line and stops redrawing it. */
  readonly stop: () => Promise<void>
}

/** Shows a line on a terminal, and redraws it. `formatLine` gets the seconds since this call. */
export const showTickingLine = (
  output: Output,
  clock: Clock,
  formatLine: (seconds: number) => string,
  { delayMs, intervalMs }: DrawTimes = defaultDrawTimes,
): TickingLine => {
  const startMs = clock.monotonic()
  let cancelTimer = (): void => undefined
  let isDrawn = false
  const draw = (): void => {
    isDrawn = true
    const text = formatLine((clock.monotonic() - startMs) / 1000).slice(0, maxLineLength(output))
    // Drawing is not awaited, and an error is ignored: the line only informs, and the run must go on.
    output.write(`${eraseLine}${text}`).catch(() => undefined)
  }
  const drawAndRepeat = (): void => {
    draw()
    cancelTimer = clock.timer(intervalMs, drawAndRepeat)
  }
  if (delayMs === 0) drawAndRepeat()
  else cancelTimer = clock.timer(delayMs, drawAndRepeat)
  return {
    draw,
    stop: () => {
      cancelTimer()
      return isDrawn ? output.write(eraseLine) : Promise.resolve()
    },
  }
}
