import { showTickingLine } from '../runtime/node/transient-line'
import type { Clock, Output } from '../runtime/runtime'

/** Shows people how far a run has come. */
export interface ReviewProgress {
  readonly noteStart: () => void
  readonly noteEnd: () => void
  /** Erases the line. */
  readonly stop: () => Promise<void>
}

/**
 * Shows one line on a terminal: units done, units running, seconds passed. `undefined` if `output` is not a terminal.
 */
export const showReviewProgress = (
  output: Output,
  clock: Clock,
  total: number,
): ReviewProgress | undefined => {
  if (!output.isTTY) return undefined
  let running = 0
  let done = 0
  const line = showTickingLine(output, clock, (seconds) => {
    return `review: ${done} of ${total} units done, ${running} running, ${Math.floor(seconds)}s`
  })
  return {
    noteStart: () => {
      running += 1
      line.draw()
    },
    noteEnd: () => {
      running -= 1
      done += 1
      line.draw()
    },
    stop: line.stop,
  }
}
