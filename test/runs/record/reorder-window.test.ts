import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ItemOutcome, processInOrder } from '../../../lib/runs/record/reorder-window'
import * as fc from '../../support/fast-check'

const test = suite('runs/record/reorder-window')

const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => i)

async function* from<A>(items: Iterable<A>, failure?: Error): AsyncGenerator<A> {
  yield* items
  if (failure !== undefined) throw failure
}

/** Work that ends when told to, in an order of the test's choosing. */
const stage = () => {
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

/** Takes results as an output does that always wants more. */
const collect = () => {
  const written: number[] = []
  const write = async (results: ReadonlyArray<number>): Promise<'more' | 'enough'> => {
    written.push(...results)
    return 'more'
  }
  return { written, write }
}
const noSize = () => 0
const echo = async (result: number) => ({ result })

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('whatever the order of the answers, results come in that of the items', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 0, max: 24 }),
      fc.infiniteStream(fc.nat()),
      async (count, concurrency, more, picks) => {
        const { open, work, most } = stage()
        const written: number[] = []
        const window = concurrency + more
        let taken = 0
        const counted = (async function* () {
          for (const item of upTo(count)) {
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
            await settled()
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
          await settled()
        }
        await running
        assert.equal(written, upTo(count))
        assert.ok(most() <= concurrency)
      },
    ),
    { numRuns: 60 },
  )
})

test('a result is written before the next item arrives', async () => {
  const { written, write } = collect()
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
    await settled()
    arrive(item)
    await settled()
    assert.equal(written, upTo(item + 1))
  }
  arrive(-1)
  await running
})

test('no item is taken while too many bytes wait for an earlier one', async () => {
  const { open, work } = stage()
  const { written, write } = collect()
  const bounds = { concurrency: 2, maxItems: 100, maxWaitingBytes: 20 }
  const running = processInOrder(from(upTo(9)), bounds, work, () => 10, write)
  await settled()
  for (const item of [1, 2, 3]) {
    open.get(item)?.({ result: item })
    await settled()
  }
  // 30 bytes wait for item 0.
  assert.equal([...open.keys()], [0])
  open.get(0)?.({ result: 0 })
  await settled()
  assert.equal(written, upTo(4))
  for (let item = 4; item < 9; item++) {
    await settled()
    open.get(item)?.({ result: item })
  }
  await running
  assert.equal(written, upTo(9))
})

test('ends after the first outcome in order that is the last, or none', async () => {
  const ends: ReadonlyArray<readonly [ItemOutcome<number>, ReadonlyArray<number>]> = [
    [{ result: 2, last: true }, [0, 1, 2]],
    ['none', [0, 1]],
  ]
  for (const [outcome, expected] of ends) {
    const { written, write } = collect()
    const work = async (item: number) => (item === 2 ? outcome : { result: item })
    await processInOrder(
      from(upTo(9)),
      { concurrency: 3, maxItems: 12, maxWaitingBytes: 0 },
      work,
      noSize,
      write,
    )
    assert.equal(written, expected)
  }
})

test('ends when the output has enough', async () => {
  const written: number[] = []
  await processInOrder(
    from(upTo(9)),
    { concurrency: 1, maxItems: 1, maxWaitingBytes: 0 },
    echo,
    noSize,
    async (results) => {
      written.push(...results)
      return written.length === 3 ? 'enough' : 'more'
    },
  )
  assert.equal(written, upTo(3))
})

test('an input that fails does so after what came before is written', async () => {
  const { written, write } = collect()
  const running = processInOrder(
    from(upTo(5), new Error('cut')),
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
  assert.equal(written, upTo(5))
})

test('an output that fails ends it, and no more is taken from the input', async () => {
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
  await settled()
  const before = taken
  await settled()
  assert.is(taken, before)
})

test.run()
