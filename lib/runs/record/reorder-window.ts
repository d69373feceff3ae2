import { EventEmitter, once } from 'node:events'

/** The result of one item. `last` discards everything after the item; `'none'` discards the item too. */
export type ItemOutcome<B> = { readonly result: B; readonly last?: boolean } | 'none'

/** The limits on items in progress and in memory. */
export interface WindowBounds {
  /** The maximum of items that are processed at the same time. */
  readonly concurrency: number
  /** The maximum of items that were read but are not written yet. */
  readonly maxItems: number
  /** While more bytes of results than this wait for an earlier item, no new item starts. */
  readonly maxWaitingBytes: number
}

/**
 * Processes several items at a time, and writes the results strictly in the order of the items. One call of `write` gets
 * all results that are ready; the next call waits for it. Items are read only as the bounds allow. `sizeOf` returns the
 * bytes of a result.
 *
 * Resolves at the end of the items, when `write` resolves with `enough`, or after an outcome that is `'none'` or the
 * last; items in progress are then abandoned. Rejects if `items` or `write` rejects, once all earlier results are
 * written. `process` must not reject.
 */
export const processInOrder = async <A, B>(
  items: AsyncIterator<A>,
  bounds: WindowBounds,
  process: (item: A) => Promise<ItemOutcome<B>>,
  sizeOf: (result: B) => number,
  write: (results: ReadonlyArray<B>) => Promise<'more' | 'enough'>,
): Promise<void> => {
  const window = new ReorderWindow(bounds, sizeOf)
  const starting = startItems(items, window, process).finally(() => window.close())
  // A failure of the input counts only once all earlier results are written.
  starting.catch(() => undefined)
  try {
    if ((await writeResults(window, write)) === 'written') await starting
  } finally {
    window.close()
  }
}

/** Starts items while the window has room. Resolves at the end of the items, or when the window is closed. */
const startItems = async <A, B>(
  items: AsyncIterator<A>,
  window: ReorderWindow<B>,
  process: (item: A) => Promise<ItemOutcome<B>>,
): Promise<void> => {
  while (!window.isClosed) {
    if (!window.hasRoom()) {
      await window.nextChange()
      continue
    }
    const next = await items.next()
    if (window.isClosed || next.done) return
    window.add(process(next.value))
  }
}

/** Writes results as soon as no earlier item holds them back. Resolves with whether every item that started was written. */
const writeResults = async <B>(
  window: ReorderWindow<B>,
  write: (results: ReadonlyArray<B>) => Promise<'more' | 'enough'>,
): Promise<'written' | 'stopped'> => {
  for (;;) {
    const { results, isLast } = window.takeReady()
    const wanted = results.length > 0 ? await write(results) : 'more'
    if (isLast || wanted === 'enough') return 'stopped'
    window.release(results)
    if (window.hasReady()) continue
    if (window.isClosed && window.isEmpty()) return 'written'
    await window.nextChange()
  }
}

/** An item in the window. `outcome` is set once the item is processed. */
interface Slot<B> {
  outcome?: ItemOutcome<B>
}

/** The items that were read and are not written yet, in their order. */
class ReorderWindow<B> {
  /** No further item starts. */
  isClosed = false
  private readonly slots: Slot<B>[] = []
  private readonly changes = new EventEmitter()
  private activeItems = 0
  private heldItems = 0
  private waitingBytes = 0

  constructor(
    private readonly bounds: WindowBounds,
    private readonly sizeOf: (result: B) => number,
  ) {}

  hasRoom(): boolean {
    const { concurrency, maxItems, maxWaitingBytes } = this.bounds
    return (
      this.activeItems < concurrency &&
      this.heldItems < maxItems &&
      this.waitingBytes <= maxWaitingBytes
    )
  }

  hasReady(): boolean {
    return this.slots[0]?.outcome !== undefined
  }

  isEmpty(): boolean {
    return this.slots.length === 0
  }

  add(processing: Promise<ItemOutcome<B>>): void {
    const slot: Slot<B> = {}
    this.slots.push(slot)
    this.activeItems += 1
    this.heldItems += 1
    void processing.then((outcome) => {
      slot.outcome = outcome
      if (outcome !== 'none') this.waitingBytes += this.sizeOf(outcome.result)
      this.activeItems -= 1
      this.reportChange()
    })
  }

  /** Takes the results that no earlier item holds back. `isLast` discards all items after them. */
  takeReady(): { readonly results: ReadonlyArray<B>; readonly isLast: boolean } {
    const results: B[] = []
    while (this.hasReady()) {
      const outcome = this.slots.shift()?.outcome
      if (outcome === undefined || outcome === 'none') return { results, isLast: true }
      results.push(outcome.result)
      if (outcome.last) return { results, isLast: true }
    }
    return { results, isLast: false }
  }

  /** Makes room for as many items as were written. */
  release(results: ReadonlyArray<B>): void {
    this.heldItems -= results.length
    for (const result of results) this.waitingBytes -= this.sizeOf(result)
    this.reportChange()
  }

  close(): void {
    this.isClosed = true
    this.reportChange()
  }

  /** Resolves when an item is processed or written, or when the window is closed. */
  async nextChange(): Promise<void> {
    await once(this.changes, 'change')
  }

  private reportChange(): void {
    this.changes.emit('change')
  }
}
