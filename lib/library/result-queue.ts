import { EventEmitter, once } from 'node:events'

/**
 * A queue between a batch, which pushes results, and the caller's loop, which takes them. It holds the results of one `push`: the
 * batch waits until the loop has taken them.
 */
interface ResultQueue<A> {
  /**
   * Adds results, at least one. Resolves with `more` when the loop has taken all of them, or with `enough` as soon as the queue is
   * closed. Wait for it before you push again.
   */
  readonly push: (results: ReadonlyArray<A>) => Promise<'more' | 'enough'>
  /** Yields the results until the queue is closed. */
  readonly results: () => AsyncGenerator<A, void, undefined>
  /** Resolves a waiting `push` at once, and ends the loop after it has taken the results pushed so far. */
  readonly close: () => void
}

/** Creates an empty queue. */
export const createResultQueue = <A>(): ResultQueue<A> => {
  const events = new EventEmitter()
  let pending: ReadonlyArray<A> = []
  let isClosed = false
  return {
    push: async (results) => {
      if (isClosed) return 'enough'
      pending = results
      events.emit('pushed')
      // The loop goes on in a later microtask, so `taken` cannot come before `once` listens.
      await once(events, 'taken')
      return isClosed ? 'enough' : 'more'
    },
    results: async function* () {
      while (true) {
        if (pending.length > 0) {
          const results = pending
          pending = []
          yield* results
          events.emit('taken')
        } else if (isClosed) {
          return
        } else {
          await once(events, 'pushed')
        }
      }
    },
    close: () => {
      isClosed = true
      // Wakes a waiting loop, and a waiting `push`.
      events.emit('pushed')
      events.emit('taken')
    },
  }
}
