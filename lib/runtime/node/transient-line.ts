import type { Clock, Output } from '../runtime'

/** The control codes that erase the current line of a terminal. */
export const eraseLine = '\r\u001b[K'

const intervalMs = 1000

/** How many characters such a line may have: the terminal's width without the cursor and the `^C` of an interrupt. */
export const maxLineLength = (output: Output): number => (output.columns ?? 80) - 3

/** Replaces the current line of the terminal by a text, cut to the space that it has. A closed terminal is ignored. */
export const drawTransientLine = (output: Output, text: string): void => {
  output.write(`${eraseLine}${text.slice(0, maxLineLength(output))}`).catch(() => undefined)
}

/** A line of the terminal that is redrawn each second. */
export interface TickingLine {
  /** Redraws the line now. */
  readonly draw: () => void
  /** Erases the line and stops redrawing it. */
  readonly stop: () => Promise<void>
}

/**
 * Shows a line on a terminal, at once and then each second. `text` returns the line for the seconds since the start.
 */
export const showTickingLine = (
  output: Output,
  clock: Clock,
  text: (seconds: number) => string,
): TickingLine => {
  const begin = clock.monotonic()
  const draw = (): void => drawTransientLine(output, text((clock.monotonic() - begin) / 1000))
  let cancel = (): void => undefined
  const tick = (): void => {
    draw()
    cancel = clock.timer(intervalMs, tick)
  }
  tick()
  return {
    draw,
    stop: () => {
      cancel()
      return output.write(eraseLine)
    },
  }
}
