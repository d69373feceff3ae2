/**
 * The outcome of an item: a result (with `last`, nothing after it is written), or `none`, which ends the
 * writing before it.
 */
export type ItemOutcome<B> = { readonly result: B; readonly last?: boolean } | 'none'

/** How many items may be worked on, and how many may be held in memory. */
export interface Bounds {
  /** The most items that are worked on at the same time. */
  readonly concurrency: number
  /** The most items that are taken from the input and not yet written. */
  readonly window: number
}

/**
 * Works on several items at a time, and writes the results strictly in the order of the items: each time all
 * that are ready, and the next ones once those are written. The input is read only as far as `window` allows.
 * Ends with the input, when `write` wants no more, or after an outcome that is `none` or the last; work still
 * in progress is then not waited for. Rejects where `items` or `write` does, after writing the results before
 * that. `work` must not reject. R5
 */
export const inOrder = async <A, B>(
  items: AsyncIterator<A>,
  { concurrency, window }: Bounds,
  work: (item: A) => Promise<ItemOutcome<B>>,
  write: (results: ReadonlyArray<B>) => Promise<'more' | 'enough'>,
): Promise<void> => {
  const queue: Array<Entry<B>> = []
  const slots = counter(concurrency)
  const room = counter(window)
  const news = bell()
  let ended = false
  let failure: { readonly error: unknown } | undefined

  const start = (item: A): void => {
    const entry: Entry<B> = {}
    queue.push(entry)
    void work(item).then((outcome) => {
      entry.outcome = outcome
      slots.give(1)
      if (queue[0] === entry) news.ring()
    })
  }
  const read = async (): Promise<void> => {
    while (!ended) {
      await room.take()
      await slots.take()
      if (ended) return
      const next = await items.next()
      if (ended || next.done) break
      start(next.value)
    }
  }
  const reading = read()
    .catch((error: unknown) => {
      failure = { error }
    })
    .finally(() => {
      ended = true
      news.ring()
    })
  try {
    for (;;) {
      const ready = queue.findIndex(({ outcome }) => outcome === undefined)
      const { results, end } = upToEnd(queue.splice(0, ready < 0 ? queue.length : ready))
      const wanted = results.length > 0 ? await write(results) : 'more'
      if (end || wanted === 'enough') return
      room.give(results.length)
      if (queue[0]?.outcome !== undefined) continue
      if (ended && queue.length === 0) break
      await news.heard()
    }
    await reading
    if (failure !== undefined) throw failure.error
  } finally {
    ended = true
    slots.give(concurrency)
    room.give(window)
  }
}

/** An item; `outcome` is set once its work is done. */
interface Entry<B> {
  outcome?: ItemOutcome<B>
}

const upToEnd = <B>(
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

/** Counts free places. Taking one waits until there is one. */
const counter = (free: number) => {
  let left = free
  let wake: (() => void) | undefined
  return {
    /** Only one caller may wait at a time. */
    take: async (): Promise<void> => {
      while (left === 0)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      left -= 1
    },
    give: (count: number): void => {
      left += count
      wake?.()
    },
  }
}

/** A signal between two loops. A ring that nobody is waiting for is kept for the next one to wait. */
const bell = () => {
  let rung = false
  let wake: (() => void) | undefined
  return {
    ring: (): void => {
      rung = true
      wake?.()
    },
    heard: async (): Promise<void> => {
      if (!rung)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      rung = false
    },
  }
}
