import type { Cancellation } from './cancellation'

/** Lets so many requests through at a time; the others wait in line. D37 */
export interface Gate {
  /**
   * Resolves to `true` when it is the caller's turn, who must call `leave` afterwards; to `false`
   * when the line is full, or when `end` fires while waiting.
   */
  readonly enter: (end: Cancellation) => true | Promise<boolean> | false
  readonly leave: () => void
  /** Requests inside. */
  readonly running: () => number
  /** Requests in line. */
  readonly waiting: () => number
}

/** First come, first served. */
export const gate = (maxConcurrent: number, maxQueue: number): Gate => {
  let running = 0
  const line = new Set<() => void>()
  return {
    enter: (end) => {
      if (end.cancelled) return false
      if (running < maxConcurrent) {
        running++
        return true
      }
      if (line.size >= maxQueue) return false
      return new Promise((resolve) => {
        const turn = (): void => {
          forget()
          resolve(true)
        }
        const forget = end.listen(() => {
          line.delete(turn)
          resolve(false)
        })
        line.add(turn)
      })
    },
    leave: () => {
      const next = line.values().next()
      if (next.done === true) {
        running--
        return
      }
      line.delete(next.value)
      next.value()
    },
    running: () => running,
    waiting: () => line.size,
  }
}
