import type { Readable } from 'node:stream'

/** Shares the event loop out among large bodies, so that many that come at once do not hold up all else. */
export interface Turns {
  /** Takes note of bytes that were read of a body. One that has had its share is paused until its next turn. */
  readonly took: (body: Readable, bytes: number) => void
  /** Does not resume this body any more. */
  readonly leave: (body: Readable) => void
}

/** How many bytes are read in one turn of the event loop before bodies are paused. Reading them takes some milliseconds. */
const mostBytes = 2 << 20

/** How many paused bodies are resumed in a turn. Each can bring two pieces of 64 KiB before it is paused again. */
const mostResumed = 16

/** A line of paused bodies: those that wait longest are resumed first. */
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
