import { EventEmitter, once } from 'node:events'

/** The result of processing one item. `isLast` discards all items after it. `'discard'` also discards the item itself. */
export type ItemOutcome<B> = { readonly result: B; readonly isLast?: boolean } | 'discard'

/** The answer of an output after a write: it takes more results, or has enough, perhaps because its reader has gone. */
export type OutputDemand = 'more' | 'enough'

/** The limits on items in progress and in memory. */
export interface WindowBounds {
  /** The maximum number of items that are processed at the same time. */
  readonly concurrency: number
  /** The maximum number of items that are read but not written yet. */
  readonly maxItems: number
  /** No item starts while more bytes of results than this wait for an earlier item. */
  readonly maxWaitingBytes: number
}

/**
 * Processes several items at the same time, and writes their results in the order of the items. `A` is an item, `B` a result. Each call
 * of `write` gets all results that are ready, and starts after the previous call has resolved. Reads items only within the bounds.
 * `sizeOf` returns the size of a result in bytes.
 *
 * Resolves at the end of the items, or early: when `write` resolves with `enough`, or after an outcome that is `'discard'` or has
 * `isLast`. It then ignores items in progress. Rejects if `write` rejects. If `items` rejects, it writes all earlier results and then
 * rejects, unless it resolves early. `processItem` must not reject.
 */
export const processInOrder = async <A, B>(
  items: AsyncIterator<A>,
  bounds: WindowBounds,
  processItem: (item: A) => Promise<ItemOutcome<B>>,
  sizeOf: (result: B) => number,
  write: (results: ReadonlyArray<B>) => Promise<OutputDemand>,
): Promise<void> => {
  const window = new ReorderWindow(bounds, sizeOf)
  const starting = startItems(items, window, processItem).finally(() => window.close())
  // Prevents an unhandled rejection. The error is rethrown below, after all earlier results are written.
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
  processItem: (item: A) => Promise<ItemOutcome<B>>,
): Promise<void> => {
  while (!window.isClosed) {
    if (!window.hasRoom()) {
      await window.nextChange()
      continue
    }
    const next = await items.next()
    if (window.isClosed || next.done) return
    window.add(processItem(next.value))
  }
}

/**
 * Writes each result as soon as all earlier items are written. Resolves with `stopped` if the output has enough, or after an outcome
 * that discards the items after it.
 */
const writeResults = async <B>(
  window: ReorderWindow<B>,
  write: (results: ReadonlyArray<B>) => Promise<OutputDemand>,
): Promise<'written' | 'stopped'> => {
  for (;;) {
    const { results, isLast } = window.takeReady()
    const demand = results.length > 0 ? await write(results) : 'more'
    if (isLast || demand === 'enough') return 'stopped'
    window.makeRoom(results)
    if (window.hasReady()) continue
    if (window.isClosed && window.isEmpty()) return 'written'
    await window.nextChange()
  }
}

/** An item in the window. `outcome` is set once the item is processed. */
interface Slot<B> {
  outcome?: ItemOutcome<B>
}

/** The items that are read but not written yet, in order. An item that is processed waits for all earlier ones. */
class ReorderWindow<B> {
  /** `true` if no further item may start. */
  isClosed = false
  private readonly slots: Slot<B>[] = []
  private readonly changes = new EventEmitter()
  /** The number of items that are being processed. */
  private activeCount = 0
  /** The number of items that are read but not written yet. */
  private unwrittenCount = 0
  /** The size of the results that are not written yet. */
  private waitingBytes = 0

  constructor(
    private readonly bounds: WindowBounds,
    private readonly sizeOf: (result: B) => number,
  ) {}

  hasRoom(): boolean {
    const { concurrency, maxItems, maxWaitingBytes } = this.bounds
    return (
      this.activeCount < concurrency &&
      this.unwrittenCount < maxItems &&
      this.waitingBytes <= maxWaitingBytes
    )
  }

  /** Returns `true` if the first item is processed. */
  hasReady(): boolean {
    return this.slots[0]?.outcome !== undefined
  }

  isEmpty(): boolean {
    return this.slots.length === 0
  }

  /** Adds an item that is being processed. */
  add(processing: Promise<ItemOutcome<B>>): void {
    const slot: Slot<B> = {}
    this.slots.push(slot)
    this.activeCount += 1
    this.unwrittenCount += 1
    void processing.then((outcome) => {
      slot.outcome = outcome
      if (outcome !== 'discard') this.waitingBytes += this.sizeOf(outcome.result)
      this.activeCount -= 1
      this.reportChange()
    })
  }

  /** Removes and returns the results at the front of the window that are ready. With `isLast`, all items after them must be discarded. */
  takeReady(): { readonly results: ReadonlyArray<B>; readonly isLast: boolean } {
    const results: B[] = []
    for (;;) {
      const outcome = this.slots[0]?.outcome
      if (outcome === undefined) return { results, isLast: false }
      this.slots.shift()
      if (outcome === 'discard') return { results, isLast: true }
      results.push(outcome.result)
      if (outcome.isLast) return { results, isLast: true }
    }
  }

  /** Makes room for new items after results were written. */
  makeRoom(results: ReadonlyArray<B>): void {
    this.unwrittenCount -= results.length
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
