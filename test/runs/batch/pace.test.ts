import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { EndedAttempt } from '../../../lib/client/call/call-context'
import { createRunPace } from '../../../lib/runs/batch/pace'
import type { Clock } from '../../../lib/runtime/runtime'

const test = suite('runs/batch/pace')

const settlePromises = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Creates a clock that moves only when the test calls `advance`. Its sleeps end then too. */
const createManualClock = () => {
  let now = 0
  let sleepers: Array<{ readonly wakeAt: number; readonly wake: () => void }> = []
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    sleep: (ms) =>
      new Promise((wake) => {
        sleepers.push({ wakeAt: now + ms, wake })
      }),
    timer: () => () => undefined,
  }
  const advance = async (ms: number): Promise<void> => {
    const end = now + ms
    await settlePromises()
    for (;;) {
      const due = sleepers.filter(({ wakeAt }) => wakeAt <= end)
      const [next] = due.sort((a, b) => a.wakeAt - b.wakeAt)
      if (next === undefined) break
      now = Math.max(now, next.wakeAt)
      sleepers = sleepers.filter((sleeper) => sleeper !== next)
      next.wake()
      await settlePromises()
    }
    now = end
  }
  return { clock, advance }
}

const answeredAttempt: EndedAttempt = { isAnswered: true, status: 200, retryAfterMs: undefined }
const rejectedAttempt: EndedAttempt = { isAnswered: false, status: 400, retryAfterMs: undefined }

/** Creates an attempt that the service ended with a `Retry-After`. */
const createBusyAttempt = (retryAfterMs: number, status = 429): EndedAttempt => ({
  isAnswered: false,
  status,
  retryAfterMs,
})

/** Starts a run. `startTimes` lists when its attempts started, in milliseconds. */
const startRun = (concurrency: number, rpm?: number) => {
  const { clock, advance } = createManualClock()
  const { signal } = new AbortController()
  const { awaitTurn, reportEnd, countAttempts } = createRunPace(clock, { concurrency, rpm })
  const startTimes: number[] = []
  /** Starts this number of attempts, as soon as the pace allows each. */
  const requestAttempts = (count: number): void => {
    for (let i = 0; i < count; i++)
      void awaitTurn(signal).then(() => startTimes.push(clock.monotonic()))
  }
  return { requestAttempts, reportEnd, advance, startTimes, countAttempts }
}

test('the attempts in flight never exceed the concurrency', async () => {
  const { requestAttempts, reportEnd, advance, startTimes, countAttempts } = startRun(3)
  requestAttempts(5)
  await advance(0)
  assert.is(startTimes.length, 3)
  reportEnd(answeredAttempt)
  await advance(0)
  assert.is(startTimes.length, 4)
  assert.is(countAttempts(), 4)
})

for (const status of [429, 503, 529])
  test(`no attempt starts before the end of a Retry-After with status ${status}`, async () => {
    const { requestAttempts, reportEnd, advance, startTimes } = startRun(4)
    requestAttempts(1)
    await advance(10)
    reportEnd(createBusyAttempt(5000, status))
    requestAttempts(4)
    await advance(4999)
    assert.is(startTimes.length, 1)
    await advance(1)
    assert.equal(startTimes, [0, 5010, 5010])
  })

test('several Retry-After at the same time halve the attempts in flight only once, and the longest one ends the pause', async () => {
  const { requestAttempts, reportEnd, advance, startTimes } = startRun(8)
  requestAttempts(8)
  await advance(0)
  reportEnd(createBusyAttempt(2000))
  for (let i = 1; i < 8; i++) reportEnd(createBusyAttempt(1000))
  requestAttempts(8)
  await advance(1999)
  assert.is(startTimes.length, 8)
  await advance(1)
  // Half of the concurrency of 8 may start.
  assert.is(startTimes.length, 8 + 4)
})

test('20 answers in a row allow one more attempt in flight, up to the concurrency', async () => {
  const { requestAttempts, reportEnd, advance, startTimes } = startRun(4)
  /** Requests more attempts than the concurrency, and counts how many start at once. Then ends all of them without an answer. */
  const measureMaxInFlight = async (): Promise<number> => {
    const requested = 6
    const startsBefore = startTimes.length
    requestAttempts(requested)
    await advance(0)
    const maxInFlight = startTimes.length - startsBefore
    for (let i = 0; i < requested; i++) {
      reportEnd(rejectedAttempt)
      await advance(0)
    }
    return maxInFlight
  }
  /** Makes attempts that are answered, one after another. */
  const answerAttempts = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      requestAttempts(1)
      await advance(0)
      reportEnd(answeredAttempt)
    }
  }
  requestAttempts(1)
  await advance(0)
  reportEnd(createBusyAttempt(1000))
  await advance(1000)
  // The Retry-After has halved the concurrency of 4.
  assert.is(await measureMaxInFlight(), 2)
  // `measureMaxInFlight` ends with rejected attempts, so the count of answers in a row begins again.
  await answerAttempts(19)
  assert.is(await measureMaxInFlight(), 2)
  await answerAttempts(20)
  assert.is(await measureMaxInFlight(), 3)
  await answerAttempts(60)
  assert.is(await measureMaxInFlight(), 4)
})

test('a Retry-After of 0, and one with status 500, do not slow the run down', async () => {
  const { requestAttempts, reportEnd, advance, startTimes } = startRun(2)
  requestAttempts(1)
  await advance(0)
  reportEnd(createBusyAttempt(0))
  requestAttempts(1)
  await advance(0)
  reportEnd(createBusyAttempt(9000, 500))
  requestAttempts(2)
  await advance(0)
  assert.equal(startTimes, [0, 0, 0, 0])
})

test('--rpm spaces attempts evenly', async () => {
  const { requestAttempts, reportEnd, advance, startTimes } = startRun(8, 120)
  requestAttempts(4)
  await advance(0)
  reportEnd(answeredAttempt)
  await advance(10_000)
  // 120 attempts per minute are one every 500 ms.
  assert.equal(startTimes, [0, 500, 1000, 1500])
})

test('an abort ends every wait', async () => {
  const { clock, advance } = createManualClock()
  const controller = new AbortController()
  // Only one of the three attempts may be in flight.
  const { awaitTurn, countAttempts } = createRunPace(clock, { concurrency: 1, rpm: undefined })
  let endedWaits = 0
  for (let i = 0; i < 3; i++)
    void awaitTurn(controller.signal).then(() => {
      endedWaits += 1
    })
  await advance(0)
  assert.is(endedWaits, 1)
  controller.abort()
  await advance(0)
  assert.is(endedWaits, 3)
  assert.is(countAttempts(), 1)
})

test.run()
