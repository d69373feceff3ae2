import * as O from 'fp-ts/Option'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createWorkQueue } from '../../lib/runtime/work-queue'

const test = suite('runtime: work queue')

const settled = (): Promise<void> => new Promise((done) => setImmediate(done))

/** Work that ends when it is told to, and takes note of its start. */
const stage = (maxRunning: number, maxWaiting: number) => {
  const queue = createWorkQueue(maxRunning, maxWaiting)
  const started: number[] = []
  const ends: Array<(failed?: Error) => void> = []
  const add = (name: number, signal = new AbortController().signal) =>
    queue.run(
      signal,
      () =>
        new Promise<number>((resolve, reject) => {
          started.push(name)
          ends[name] = (failed) => (failed ? reject(failed) : resolve(name * 10))
        }),
    )
  return { queue, started, ends, add }
}

test('work starts in the order it comes, never more than so much at once', async () => {
  for (const most of [1, 2, 5, 50]) {
    const { started, ends, add } = stage(most, 5)
    const results = [0, 1, 2, 3, 4].map((name) => add(name))
    for (let ended = 0; ended < 5; ended++) {
      await settled()
      assert.is(started.length, Math.min(5, ended + most))
      ends[ended]?.()
    }
    assert.equal(await Promise.all(results), [0, 10, 20, 30, 40].map(O.some))
    assert.equal(started, [0, 1, 2, 3, 4])
  }
})

test('what finds the line full is turned away, and what leaves the line makes room', async () => {
  const { queue, started, ends, add } = stage(1, 2)
  const leaving = new AbortController()
  const first = add(0)
  const second = add(1)
  const third = add(2, leaving.signal)
  assert.equal([queue.running(), queue.waiting()], [1, 2])
  assert.equal(await add(3), O.none)
  leaving.abort()
  assert.equal(await third, O.none)
  assert.equal([queue.running(), queue.waiting()], [1, 1])
  ends[0]?.()
  assert.equal(await first, O.some(0))
  await settled()
  ends[1]?.()
  assert.equal(await second, O.some(10))
  assert.equal([queue.running(), queue.waiting()], [0, 0])
  assert.equal(started, [0, 1])
})

test('work of a signal that has fired is not begun; a signal that fires later leaves it running', async () => {
  const { queue, started, ends, add } = stage(1, 1)
  assert.equal(await add(0, AbortSignal.abort()), O.none)
  const late = new AbortController()
  const running = add(1, late.signal)
  late.abort()
  assert.equal([started, queue.running()], [[1], 1])
  ends[1]?.()
  assert.equal(await running, O.some(10))
})

test('work that fails makes room like any other', async () => {
  const { started, ends, add } = stage(1, 1)
  const failing = add(0)
  const next = add(1)
  ends[0]?.(new Error('no'))
  assert.is(await failing.catch((error: Error) => error.message), 'no')
  await settled()
  assert.equal(started, [0, 1])
  ends[1]?.()
  assert.equal(await next, O.some(10))
})

test('holders take turns, whatever each has brought', async () => {
  const queue = createWorkQueue(1, 10)
  const done: string[] = []
  const add = (holder: string, name: string, signal = new AbortController().signal) =>
    queue.run(signal, async () => done.push(holder + name), holder)
  const leaving = new AbortController()
  const all = [
    ...['1', '2', '3', '4'].map((name) => add('a', name)),
    add('b', '1'),
    add('c', '1', leaving.signal),
    add('b', '2'),
  ]
  leaving.abort()
  await Promise.all(all)
  assert.equal(done, ['a1', 'a2', 'b1', 'a3', 'b2', 'a4'])
  assert.equal([queue.running(), queue.waiting()], [0, 0])
})

test.run()
