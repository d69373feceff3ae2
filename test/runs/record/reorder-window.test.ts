import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type ItemOutcome,
  type OutputDemand,
  processInOrder,
} from '../../../lib/runs/record/reorder-window'
import * as fc from '../../support/fast-check'

const test = suite('runs/record/reorder-window')

/** Lists the numbers from 0, `count` of them. */
const listNumbers = (count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, i) => i)

/** Yields items, and then throws `failure` if there is one. */
async function* yieldItems<A>(items: Iterable<A>, failure?: Error): AsyncGenerator<A> {
  yield* items
  if (failure !== undefined) throw failure
}

/**
 * Creates a function `work` that processes items. `inFlight` has a function for each item that is processed. The test calls this
 * function with the outcome to end the work on the item.
 */
const createManualWork = () => {
  const inFlight = new Map<number, (outcome: ItemOutcome<number>) => void>()
  let maxInFlight = 0
  return {
    inFlight,
    findMaxInFlight: () => maxInFlight,
    work: (item: number) =>
      new Promise<ItemOutcome<number>>((resolve) => {
        inFlight.set(item, (outcome) => {
          inFlight.delete(item)
          resolve(outcome)
        })
        maxInFlight = Math.max(maxInFlight, inFlight.size)
      }),
  }
}

/** Creates an output that takes any number of results. */
const createOutput = () => {
  const written: number[] = []
  const write = async (results: ReadonlyArray<number>): Promise<OutputDemand> => {
    written.push(...results)
    return 'more'
  }
  return { written, write }
}

/** Returns 0 as the size of a result, so that the waiting bytes never exceed their limit. */
const returnZeroBytes = () => 0

/** Processes an item at once. Its result is the item itself. */
const echo = async (result: number) => ({ result })

/** Lets all promises that are ready continue. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Returns the error with which a promise rejects; `undefined` if it resolves. */
const catchError = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

test('writes results in the order of the items within the bounds, whatever the order in which they finish', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        itemCount: fc.integer({ min: 0, max: 40 }),
        concurrency: fc.integer({ min: 1, max: 8 }),
        extraItems: fc.integer({ min: 0, max: 24 }),
        randomNumbers: fc.infiniteStream(fc.nat()),
      }),
      async ({ itemCount, concurrency, extraItems, randomNumbers }) => {
        const { inFlight, work, findMaxInFlight } = createManualWork()
        const maxItems = concurrency + extraItems
        const written: number[] = []
        let itemsRead = 0
        async function* readItems() {
          for (const item of listNumbers(itemCount)) {
            itemsRead += 1
            // `maxItems` limits the items that were read and are not yet written.
            assert.ok(itemsRead - written.length <= maxItems)
            yield item
          }
        }
        const write = async (results: ReadonlyArray<number>): Promise<'more'> => {
          await settle()
          written.push(...results)
          return 'more'
        }
        const bounds = { concurrency, maxItems, maxWaitingBytes: 0 }
        let isDone = false
        const markDone = (): void => {
          isDone = true
        }
        const running = processInOrder(readItems(), bounds, work, returnZeroBytes, write)
        running.then(markDone, markDone)
        // Finishes items in flight in a random order. `item` is `undefined` while no item is in flight.
        while (!isDone) {
          const items = [...inFlight.keys()]
          const randomNumber = randomNumbers.next().value ?? 0
          const item = items[randomNumber % items.length]
          if (item !== undefined) inFlight.get(item)?.({ result: item })
          await settle()
        }
        await running
        assert.equal(written, listNumbers(itemCount))
        assert.ok(findMaxInFlight() <= concurrency)
      },
    ),
    { numRuns: 60 },
  )
})

test('writes a result before the next item arrives', async () => {
  const { written, write } = createOutput()
  // Both functions are replaced whenever `processInOrder` asks for the next item.
  let sendItem = (_: number): void => undefined
  let endItems = (): void => undefined
  const items: AsyncIterator<number> = {
    next: () =>
      new Promise((resolve) => {
        sendItem = (value) => resolve({ done: false, value })
        endItems = () => resolve({ done: true, value: undefined })
      }),
  }
  const bounds = { concurrency: 2, maxItems: 8, maxWaitingBytes: 0 }
  const running = processInOrder(items, bounds, echo, returnZeroBytes, write)
  for (const item of [0, 1, 2]) {
    await settle()
    sendItem(item)
    await settle()
    assert.equal(written, listNumbers(item + 1))
  }
  endItems()
  await running
})

test('starts no item while more than maxWaitingBytes wait for an earlier item', async () => {
  const { inFlight, work } = createManualWork()
  const { written, write } = createOutput()
  const bounds = { concurrency: 2, maxItems: 100, maxWaitingBytes: 20 }
  const bytesPerResult = () => 10
  const running = processInOrder(yieldItems(listNumbers(9)), bounds, work, bytesPerResult, write)
  await settle()
  for (const item of [1, 2, 3]) {
    inFlight.get(item)?.({ result: item })
    await settle()
  }
  // 30 bytes wait for item 0, which is more than 20, so item 4 has not started.
  assert.equal([...inFlight.keys()], [0])
  inFlight.get(0)?.({ result: 0 })
  await settle()
  assert.equal(written, listNumbers(4))
  for (let item = 4; item < 9; item++) {
    await settle()
    inFlight.get(item)?.({ result: item })
  }
  await running
  assert.equal(written, listNumbers(9))
})

/** Processes the items 0 to 8, with a given outcome of item 2. Returns the results that were written. */
const processNineItems = async (outcomeOfItem2: ItemOutcome<number>) => {
  const { written, write } = createOutput()
  const work = async (item: number) => (item === 2 ? outcomeOfItem2 : { result: item })
  const bounds = { concurrency: 3, maxItems: 12, maxWaitingBytes: 0 }
  await processInOrder(yieldItems(listNumbers(9)), bounds, work, returnZeroBytes, write)
  return written
}

test('writes nothing after a result that is marked as the last one', async () => {
  assert.equal(await processNineItems({ result: 2, isLast: true }), [0, 1, 2])
})

test("writes neither an item with the outcome 'discard' nor a later one", async () => {
  assert.equal(await processNineItems('discard'), [0, 1])
})

test('stops when the output has enough', async () => {
  const written: number[] = []
  const bounds = { concurrency: 1, maxItems: 1, maxWaitingBytes: 0 }
  const write = async (results: ReadonlyArray<number>) => {
    written.push(...results)
    return written.length === 3 ? 'enough' : 'more'
  }
  await processInOrder(yieldItems(listNumbers(9)), bounds, echo, returnZeroBytes, write)
  assert.equal(written, listNumbers(3))
})

test('rejects with the error of the input after all earlier results are written', async () => {
  const { written, write } = createOutput()
  const items = yieldItems(listNumbers(5), new Error('cut'))
  const bounds = { concurrency: 2, maxItems: 3, maxWaitingBytes: 0 }
  const error = await catchError(processInOrder(items, bounds, echo, returnZeroBytes, write))
  assert.is(error instanceof Error && error.message, 'cut')
  assert.equal(written, listNumbers(5))
})

test('rejects with the error of the output, and reads no further items', async () => {
  let itemsRead = 0
  async function* readItems() {
    for (;;) yield itemsRead++
  }
  const bounds = { concurrency: 2, maxItems: 4, maxWaitingBytes: 0 }
  const write = () => Promise.reject(new Error('full'))
  const error = await catchError(processInOrder(readItems(), bounds, echo, returnZeroBytes, write))
  assert.is(error instanceof Error && error.message, 'full')
  await settle()
  const readBefore = itemsRead
  await settle()
  assert.is(itemsRead, readBefore)
})

test.run()
