import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inOrder } from '../../lib/review/pool'

const test = suite('review: pool')

const items = [5, 1, 4, 2, 3]
const never = new AbortController().signal

test('results keep the order of the items, never more than the limit at once', async () => {
  for (const limit of [1, 2, 5, 50]) {
    let running = 0
    let most = 0
    const results = await inOrder(items, limit, never, async (item) => {
      running += 1
      most = Math.max(most, running)
      await new Promise((done) => setTimeout(done, item * 2))
      running -= 1
      return item * 10
    })
    assert.equal(results, [50, 10, 40, 20, 30])
    assert.is(most, Math.min(limit, items.length))
  }
})

test('after the signal nothing starts, what runs is waited for', async () => {
  const stop = new AbortController()
  const started: number[] = []
  const results = await inOrder(items, 2, stop.signal, async (item) => {
    started.push(item)
    if (item === 1) stop.abort()
    await new Promise((done) => setTimeout(done, item * 2))
    return item
  })
  assert.equal(started, [5, 1])
  assert.equal(results, [5, 1])
})

test('no items, no work', async () => {
  assert.equal(await inOrder([], 4, never, async () => assert.unreachable()), [])
})

test.run()
