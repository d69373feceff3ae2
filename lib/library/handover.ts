import { EventEmitter, once } from 'node:events'

/** Hands results from a run that produces them to a loop that takes them, at the loop's speed. */
interface Handover<A> {
  /** Gives results. Resolves with `more` when the loop has taken them all, or with `enough` when it has ended. */
  readonly give: (results: ReadonlyArray<A>) => Promise<'more' | 'enough'>
  /** The results, until it is closed. */
  readonly taken: () => AsyncGenerator<A, void, undefined>
  /** Ends the loop once it has taken what was given. */
  readonly close: () => void
}

/** Creates a handover. */
export const createHandover = <A>(): Handover<A> => {
  const news = new EventEmitter()
  let waiting: ReadonlyArray<A> = []
  let isClosed = false
  return {
    give: async (results) => {
      if (isClosed) return 'enough'
      waiting = results
      news.emit('given')
      await once(news, 'taken')
      return isClosed ? 'enough' : 'more'
    },
    taken: async function* () {
      for (;;) {
        const results = waiting
        waiting = []
        yield* results
        if (results.length > 0) news.emit('taken')
        else if (isClosed) return
        if (waiting.length === 0 && !isClosed) await once(news, 'given')
      }
    },
    close: () => {
      isClosed = true
      news.emit('given')
      news.emit('taken')
    },
  }
}
