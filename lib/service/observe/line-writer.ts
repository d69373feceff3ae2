import type { Clock } from '../../runtime/runtime'

/** Lines gathered into few writes. */
export interface LineWriter {
  /** A line with its newline. */
  readonly add: (line: string) => void
  /** Writes what is left. */
  readonly flush: () => Promise<void>
}

const waitMs = 50
const mostHeld = 1 << 16

/** Gathers lines for a twentieth of a second, so that a busy service writes seldom. */
export const lineWriter = (
  write: (text: string) => Promise<void>,
  clock: Pick<Clock, 'timer'>,
): LineWriter => {
  let held = ''
  let cancel: (() => void) | undefined
  let last: Promise<void> = Promise.resolve()
  const flush = (): Promise<void> => {
    cancel?.()
    cancel = undefined
    if (held !== '') {
      const text = held
      held = ''
      last = last.then(() => write(text))
    }
    return last
  }
  return {
    add: (line) => {
      held += line
      if (held.length >= mostHeld) void flush()
      else cancel ??= clock.timer(waitMs, () => void flush())
    },
    flush,
  }
}
