import type { Clock, Output } from './runtime'

/** Takes away what stands in the terminal's present line. */
export const erase = '\r\u001b[K'

const intervalMs = 1000

/** Shows a text in the terminal's present line, cut to its width. A terminal that is gone shows nothing. */
export const drawLine = (output: Output, text: string): void => {
  output.write(`${erase}${text.slice(0, (output.columns ?? 80) - 1)}`).catch(() => undefined)
}

/** A line that is drawn again each second. */
export interface TickingLine {
  /** Draws it now. */
  readonly draw: () => void
  /** Erases it, and draws it no more. */
  readonly stop: () => Promise<void>
}

/** Shows at a terminal what `text` gives of the seconds since the start, at once and then each second. */
export const tickingLine = (
  output: Output,
  clock: Clock,
  text: (seconds: number) => string,
): TickingLine => {
  const begin = clock.monotonic()
  const draw = (): void => drawLine(output, text((clock.monotonic() - begin) / 1000))
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
      return output.write(erase)
    },
  }
}
