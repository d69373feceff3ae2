import * as O from 'fp-ts/Option'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createWorkQueue } from '../../lib/runtime/work-queue'

const test = suite('runtime/work-queue')

/** Lets all promises settle that can settle now. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Creates a queue. `addJob(n)` adds the job `n`, which runs until the test calls `endJob[n]`. It then resolves to `10 * n`, or rejects
 * with the error that the test passes.
 */
const createTestQueue = (maxRunning: number, maxWaiting: number) => {
  const queue = createWorkQueue(maxRunning, maxWaiting)
  const startedJobs: number[] = []
  const endJob: Array<(error?: Error) => void> = []
  const addJob = (n: number, signal = new AbortController().signal) =>
    queue.run(
      signal,
      () =>
        new Promise<number>((resolve, reject) => {
          startedJobs.push(n)
          endJob[n] = (error) => (error ? reject(error) : resolve(n * 10))
        }),
    )
  return { queue, startedJobs, endJob, addJob }
}

for (const maxRunning of [1, 2, 5, 50]) {
  test(`runs jobs in order, at most ${maxRunning} at a time`, async () => {
    const { startedJobs, endJob, addJob } = createTestQueue(maxRunning, 5)
    const results = [0, 1, 2, 3, 4].map((n) => addJob(n))
    for (let ended = 0; ended < 5; ended++) {
      await settle()
      assert.is(startedJobs.length, Math.min(5, ended + maxRunning))
      endJob[ended]?.()
    }
    assert.equal(await Promise.all(results), [0, 10, 20, 30, 40].map(O.some))
    assert.equal(startedJobs, [0, 1, 2, 3, 4])
  })
}

test('refuses a job if the queue is full', async () => {
  const { queue, addJob } = createTestQueue(1, 2)
  addJob(0)
  addJob(1)
  addJob(2)
  assert.equal([queue.countRunning(), queue.countWaiting()], [1, 2])
  assert.equal(await addJob(3), O.none)
})

test('never starts a job whose signal fires while it waits', async () => {
  const { queue, startedJobs, endJob, addJob } = createTestQueue(1, 2)
  const controller = new AbortController()
  const running = addJob(0)
  const cancelled = addJob(1, controller.signal)
  const waiting = addJob(2)
  controller.abort()
  assert.equal(await cancelled, O.none)
  assert.equal([queue.countRunning(), queue.countWaiting()], [1, 1])
  endJob[0]?.()
  assert.equal(await running, O.some(0))
  await settle()
  endJob[2]?.()
  assert.equal(await waiting, O.some(20))
  assert.equal([queue.countRunning(), queue.countWaiting()], [0, 0])
  assert.equal(startedJobs, [0, 2])
})

test('never starts a job whose signal has already fired', async () => {
  const { startedJobs, addJob } = createTestQueue(1, 1)
  assert.equal(await addJob(0, AbortSignal.abort()), O.none)
  assert.equal(startedJobs, [])
})

test('does not cancel a running job if its signal fires', async () => {
  const { queue, endJob, addJob } = createTestQueue(1, 1)
  const controller = new AbortController()
  const running = addJob(0, controller.signal)
  controller.abort()
  assert.is(queue.countRunning(), 1)
  endJob[0]?.()
  assert.equal(await running, O.some(0))
})

test('starts the next job after one that fails', async () => {
  const { startedJobs, endJob, addJob } = createTestQueue(1, 1)
  const failing = addJob(0)
  const next = addJob(1)
  endJob[0]?.(new Error('no'))
  assert.is(await failing.catch((error: Error) => error.message), 'no')
  await settle()
  assert.equal(startedJobs, [0, 1])
  endJob[1]?.()
  assert.equal(await next, O.some(10))
})

// The holder of a job is the one for whom it runs, such as the client that sent a request.
test('lets holders take turns, even if one has many jobs', async () => {
  const queue = createWorkQueue(1, 10)
  const startedJobs: string[] = []
  const addJob = (holder: string, name: string) =>
    queue.run(new AbortController().signal, async () => startedJobs.push(name), holder)
  await Promise.all([
    addJob('a', 'a1'),
    addJob('a', 'a2'),
    addJob('a', 'a3'),
    addJob('a', 'a4'),
    addJob('b', 'b1'),
    addJob('b', 'b2'),
  ])
  // a1 starts at once. Among the waiting holders a came first, so a2 is next. Then they alternate.
  assert.equal(startedJobs, ['a1', 'a2', 'b1', 'a3', 'b2', 'a4'])
})

test('skips a holder whose only job was cancelled', async () => {
  const queue = createWorkQueue(1, 10)
  const startedJobs: string[] = []
  const controller = new AbortController()
  const addJob = (holder: string, signal = new AbortController().signal) =>
    queue.run(signal, async () => startedJobs.push(holder), holder)
  const results = [addJob('a'), addJob('b', controller.signal), addJob('c')]
  controller.abort()
  await Promise.all(results)
  assert.equal(startedJobs, ['a', 'c'])
  assert.equal([queue.countRunning(), queue.countWaiting()], [0, 0])
})

test.run()
