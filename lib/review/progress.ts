import { showTickingLine } from '../runtime/node/transient-line'
import type { Clock, Output } from '../runtime/runtime'

/** The line that shows the progress of a review. A unit is a section of the spec with its implementation and tests. */
export interface ReviewProgress {
  /** Counts a unit that has started. */
  readonly noteStart: () => void
  /** Counts a unit that has ended. */
  readonly noteEnd: () => void
  /** Erases the line. */
  readonly stop: () => Promise<void>
}

/** Shows one line on a terminal: units done, units running, seconds passed. Returns `undefined` if `output` is not a terminal. */
export const showReviewProgress = (
  output: Output,
  clock: Clock,
  unitCount: number,
): ReviewProgress | undefined => {
  if (!output.isTTY) return undefined
  let running = 0
  let finished = 0
  const line = showTickingLine(output, clock, (seconds) => {
    return `review: ${finished} of ${unitCount} units done, ${running} running, ${Math.floor(seconds)}s`
  })
  return {
    noteStart: () => {
      running += 1
      line.draw()
    },
    noteEnd: () => {
      running -= 1
      finished += 1
      line.draw()
    },
    stop: line.stop,
  }
}
