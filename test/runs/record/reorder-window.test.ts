import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ItemOutcome, processInOrder } from '../../../lib/runs/record/reorder-window'
import * as fc from '../../support/fast-check'

const test = suite('runs/record/reorder-window')

const listNumbers = (count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, i) => i)

async function* yieldItems<A>(items: Iterable<A>, failure?: Error): AsyncGenerator<A> {
  yield* items
  if (failure !== undefined) throw failure
}

/** Creates work that ends when the test says so. `open` has the items in progress. */
const createManualWork = () => {
  const open = new Map<number, (outcome: ItemOutcome<number>) => void>()
  let most = 0
  return {
    open,
    most: () => most,
    work: (item: number) =>
      new Promise<ItemOutcome<number>>((resolve) => {
        open.set(item, (outcome) => {
          open.delete(item)
          resolve(outcome)
        })
        most = Math.max(most, open.size)
      }),
  }
}

/** Creates an output that never has enough. */
const createOutput = () => {
  const written: number[] = []
  const write = async (results: ReadonlyArray<number>): Promise<'more' | 'enough'> => {
    written.push(...results)
    return 'more'
  }
  return { written, write }
}
const noSize = () => 0
const echo = async (result: number) => ({ result })

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

test('writes results in the order of the items, in whatever order they finish', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 0, max: 24 }),
      fc.infiniteStream(fc.nat()),
      async (count, concurrency, more, picks) => {
        const { open, work, most } = createManualWork()
        const written: number[] = []
        const window = concurrency + more
        let taken = 0
        const counted = (async function* () {
          for (const item of listNumbers(count)) {
            taken += 1
            assert.ok(taken - written.length <= window, 'the window holds')
            yield item
          }
        })()
        const running = processInOrder(
          counted,
          { concurrency, maxItems: window, maxWaitingBytes: 0 },
          work,
          noSize,
          async (results) => {
            await settle()
            written.push(...results)
            return 'more'
          },
        )
        let done = false
        void running.then(() => {
          done = true
        })
        while (!done) {
          const waiting = [...open.keys()]
          const pick = waiting[(picks.next().value ?? 0) % Math.max(1, waiting.length)]
          if (pick !== undefined) open.get(pick)?.({ result: pick })
          await settle()
        }
        await running
        assert.equal(written, listNumbers(count))
        assert.ok(most() <= concurrency)
      },
    ),
    { numRuns: 60 },
  )
})

test('a result is written before the next item arrives', async () => {
  const { written, write } = createOutput()
  let arrive = (_: number): void => undefined
  const items: AsyncIterator<number> = {
    next: async () => {
      const value = await new Promise<number>((resolve) => {
        arrive = resolve
      })
      return value < 0 ? { done: true, value: undefined } : { done: false, value }
    },
  }
  const running = processInOrder(
    items,
    { concurrency: 2, maxItems: 8, maxWaitingBytes: 0 },
    echo,
    noSize,
    write,
  )
  for (const item of [0, 1, 2]) {
    await settle()
    arrive(item)
    await settle()
    assert.equal(written, listNumbers(item + 1))
  }
  arrive(-1)
  await running
})

test('starts no item while too many bytes wait for an earlier one', async () => {
  const { open, work } = createManualWork()
  const { written, write } = createOutput()
  const bounds = { concurrency: 2, maxItems: 100, maxWaitingBytes: 20 }
  const running = processInOrder(yieldItems(listNumbers(9)), bounds, work, () => 10, write)
  await settle()
  for (const item of [1, 2, 3]) {
    open.get(item)?.({ result: item })
    await settle()
  }
  // 30 bytes wait for item 0.
  assert.equal([...open.keys()], [0])
  open.get(0)?.({ result: 0 })
  await settle()
  assert.equal(written, listNumbers(4))
  for (let item = 4; item < 9; item++) {
    await settle()
    open.get(item)?.({ result: item })
  }
  await running
  assert.equal(written, listNumbers(9))
})

test('stops after an outcome that is the last, or none', async () => {
  const ends: ReadonlyArray<readonly [ItemOutcome<number>, ReadonlyArray<number>]> = [
    [{ result: 2, last: true }, [0, 1, 2]],
    ['none', [0, 1]],
  ]
  for (const [outcome, expected] of ends) {
    const { written, write } = createOutput()
    const work = async (item: number) => (item === 2 ? outcome : { result: item })
    await processInOrder(
      yieldItems(listNumbers(9)),
      { concurrency: 3, maxItems: 12, maxWaitingBytes: 0 },
      work,
      noSize,
      write,
    )
    assert.equal(written, expected)
  }
})

test('stops when the output has enough', async () => {
  const written: number[] = []
  await processInOrder(
    yieldItems(listNumbers(9)),
    { concurrency: 1, maxItems: 1, maxWaitingBytes: 0 },
    echo,
    noSize,
    async (results) => {
      written.push(...results)
      return written.length === 3 ? 'enough' : 'more'
    },
  )
  assert.equal(written, listNumbers(3))
})

test('rejects with the error of the input once all earlier results are written', async () => {
  const { written, write } = createOutput()
  const running = processInOrder(
    yieldItems(listNumbers(5), new Error('cut')),
    { concurrency: 2, maxItems: 3, maxWaitingBytes: 0 },
    echo,
    noSize,
    write,
  )
  const error = await running.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  assert.is(error instanceof Error && error.message, 'cut')
  assert.equal(written, listNumbers(5))
})

test('rejects with the error of the output, and reads no further items', async () => {
  let taken = 0
  const counted = (async function* () {
    for (;;) yield taken++
  })()
  const error = await processInOrder(
    counted,
    { concurrency: 2, maxItems: 4, maxWaitingBytes: 0 },
    echo,
    noSize,
    () => Promise.reject(new Error('full')),
  ).catch((cause: unknown) => cause)
  assert.is(error instanceof Error && error.message, 'full')
  await settle()
  const before = taken
  await settle()
  assert.is(taken, before)
})

test.run()
