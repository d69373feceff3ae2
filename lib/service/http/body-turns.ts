import type { Readable } from 'node:stream'

/** Shares the event loop among large request bodies, so that many at once do not hold up everything else. */
export interface Turns {
  /**
   * Counts bytes that were read of a body. Pauses the body where this turn's share is used up, until a later
   * turn.
   */
  readonly took: (body: Readable, bytes: number) => void
  /** Forgets a paused body, so that it is not resumed any more. */
  readonly leave: (body: Readable) => void
}

/**
 * The most bytes that are read in one turn of the event loop before bodies are paused. Reading them takes a few
 * milliseconds.
 */
const mostBytes = 2 << 20

/**
 * The most paused bodies that are resumed in a turn. Each can deliver two pieces of 64 KiB before it is paused
 * again.
 */
const mostResumed = 16

/** Creates a queue of paused bodies. Those that have waited longest are resumed first. */
export const bodyTurns = (): Turns => {
  const paused = new Set<Readable>()
  let left = mostBytes
  let counting = false

  const nextTurn = (): void => {
    left = mostBytes
    counting = paused.size > 0
    if (counting) setImmediate(nextTurn)
    let resumed = 0
    for (const body of paused) {
      if (resumed++ === mostResumed) break
      paused.delete(body)
      body.resume()
    }
  }
  return {
    took: (body, bytes) => {
      left -= bytes
      if (!counting) setImmediate(nextTurn)
      counting = true
      if (left >= 0) return
      body.pause()
      paused.add(body)
    },
    leave: (body) => {
      paused.delete(body)
    },
  }
}
