import { EventEmitter, once } from 'node:events'

/** The result of one item. `last` discards everything after it; `'none'` discards it too. */
export type ItemOutcome<B> = { readonly result: B; readonly last?: boolean } | 'none'

/** How many items may be worked on, and how many may be held in memory. */
export interface WindowBounds {
  /** How many items may be worked on at the same time. */
  readonly concurrency: number
  /** How many items may be taken from the input and not yet written. */
  readonly window: number
  /** Once results of more bytes wait for an earlier item, no new item is taken. */
  readonly maxWaitingBytes: number
}

/**
 * Works on several items at a time, and writes the results strictly in the order of the items. One call of `write` gets
 * all results that are ready; the next call waits for it. Items are taken only as the bounds allow. `sizeOf` returns the
 * bytes of a result.
 *
 * The promise resolves at the end of the items, when `write` returns `enough`, or after an outcome that is `none` or the
 * last; work in progress is then given up. It rejects if `items` or `write` rejects, once all earlier results are
 * written. `work` must not reject.
 */
export const workInOrder = async <A, B>(
  items: AsyncIterator<A>,
  { concurrency, window, maxWaitingBytes }: WindowBounds,
  work: (item: A) => Promise<ItemOutcome<B>>,
  sizeOf: (result: B) => number,
  write: (results: ReadonlyArray<B>) => Promise<'more' | 'enough'>,
): Promise<void> => {
  const queue: Array<Entry<B>> = []
  /** Tells both loops below that something has changed, so that they look again. */
  const news = new EventEmitter()
  const change = () => news.emit('change')
  let working = 0
  let held = 0
  /** The bytes of the results that are not yet written. */
  let waiting = 0
  let ended = false
  let failure: { readonly error: unknown } | undefined

  const start = (item: A): void => {
    const entry: Entry<B> = {}
    queue.push(entry)
    void work(item).then((outcome) => {
      entry.outcome = outcome
      if (outcome !== 'none') waiting += sizeOf(outcome.result)
      working -= 1
      change()
    })
  }
  const read = async (): Promise<void> => {
    while (!ended) {
      if (working === concurrency || held === window || waiting > maxWaitingBytes) {
        await once(news, 'change')
        continue
      }
      const next = await items.next()
      if (ended || next.done) return
      working += 1
      held += 1
      start(next.value)
    }
  }
  const reading = read()
    .catch((error: unknown) => {
      failure = { error }
    })
    .finally(() => {
      ended = true
      change()
    })
  try {
    for (;;) {
      const ready = queue.findIndex(({ outcome }) => outcome === undefined)
      const { results, end } = takeUpToEnd(queue.splice(0, ready < 0 ? queue.length : ready))
      const wanted = results.length > 0 ? await write(results) : 'more'
      if (end || wanted === 'enough') return
      held -= results.length
      for (const result of results) waiting -= sizeOf(result)
      change()
      if (queue[0]?.outcome !== undefined) continue
      if (ended && queue.length === 0) break
      await once(news, 'change')
    }
    await reading
    if (failure !== undefined) throw failure.error
  } finally {
    ended = true
    change()
  }
}

/** An item; `outcome` is set once its work is done. */
interface Entry<B> {
  outcome?: ItemOutcome<B>
}

const takeUpToEnd = <B>(
  entries: ReadonlyArray<Entry<B>>,
): { readonly results: ReadonlyArray<B>; readonly end: boolean } => {
  const results: B[] = []
  for (const { outcome } of entries) {
    if (outcome === undefined || outcome === 'none') return { results, end: true }
    results.push(outcome.result)
    if (outcome.last) return { results, end: true }
  }
  return { results, end: false }
}
