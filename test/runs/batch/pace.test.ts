import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { EndedAttempt } from '../../../lib/client/call/call-context'
import { createRunPace } from '../../../lib/runs/batch/pace'
import type { Clock } from '../../../lib/runtime/runtime'

const test = suite('runs/batch/pace')

/** Creates a clock that only `forward` moves. */
const createManualClock = () => {
  let time = 0
  let sleepers: Array<{ readonly at: number; readonly wake: () => void }> = []
  const clock: Clock = {
    now: () => time,
    monotonic: () => time,
    sleep: (ms) =>
      new Promise((wake) => {
        sleepers.push({ at: time + ms, wake })
      }),
    timer: () => () => undefined,
  }
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
  const forward = async (ms: number): Promise<void> => {
    const until = time + ms
    await settled()
    for (;;) {
      const next = sleepers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      time = Math.max(time, next.at)
      sleepers = sleepers.filter((one) => one !== next)
      next.wake()
      await settled()
    }
    time = until
  }
  return { clock, forward }
}

const ok: EndedAttempt = { answered: true, status: 200, retryAfterMs: undefined }
const busy = (retryAfterMs: number, status = 429): EndedAttempt => ({
  answered: false,
  status,
  retryAfterMs,
})

const startPace = (concurrency: number, rpm?: number) => {
  const { clock, forward } = createManualClock()
  const { signal } = new AbortController()
  const { awaitTurn, reportEnd, attempts } = createRunPace(clock, { concurrency, rpm })
  const starts: number[] = []
  const ask = (): void => {
    void awaitTurn(signal).then(() => starts.push(clock.monotonic()))
  }
  return { ask, reportEnd, forward, starts, attempts }
}

test('starts no more attempts at the same time than the concurrency', async () => {
  const { ask, reportEnd, forward, starts, attempts } = startPace(3)
  for (let i = 0; i < 5; i++) ask()
  await forward(0)
  assert.is(starts.length, 3)
  reportEnd(ok)
  await forward(0)
  assert.is(starts.length, 4)
  assert.is(attempts(), 4)
})

test('no attempt starts during a wait that the service asks for', async () => {
  for (const status of [429, 503, 529]) {
    const { ask, reportEnd, forward, starts } = startPace(4)
    ask()
    await forward(10)
    reportEnd(busy(5000, status))
    for (let i = 0; i < 4; i++) ask()
    await forward(4999)
    assert.is(starts.length, 1)
    await forward(1)
    assert.equal(starts, [0, 5010, 5010])
  }
})

test('several waits at the same time halve the attempts in flight once, and the longest counts', async () => {
  const { ask, reportEnd, forward, starts } = startPace(8)
  for (let i = 0; i < 8; i++) ask()
  await forward(0)
  for (let i = 0; i < 8; i++) reportEnd(busy(i === 3 ? 2000 : 1000))
  for (let i = 0; i < 8; i++) ask()
  await forward(1999)
  assert.is(starts.length, 8)
  await forward(1)
  assert.is(starts.length, 12)
})

test('twenty answers in a row allow one more attempt in flight, up to the concurrency', async () => {
  const { ask, reportEnd, forward, starts } = startPace(4)
  ask()
  await forward(0)
  reportEnd(busy(1000))
  await forward(1000)
  const inFlight = async (): Promise<number> => {
    const before = starts.length
    for (let i = 0; i < 6; i++) ask()
    await forward(0)
    const count = starts.length - before
    for (let i = 0; i < 6; i++) {
      reportEnd({ answered: false, status: 400, retryAfterMs: undefined })
      await forward(0)
    }
    return count
  }
  const answer = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      ask()
      await forward(0)
      reportEnd(ok)
    }
  }
  assert.is(await inFlight(), 2)
  await answer(19)
  assert.is(await inFlight(), 2)
  await answer(20)
  assert.is(await inFlight(), 3)
  await answer(60)
  assert.is(await inFlight(), 4)
})

test('a wait of zero and a status that is not busy change nothing', async () => {
  const { ask, reportEnd, forward, starts } = startPace(2)
  ask()
  await forward(0)
  reportEnd(busy(0))
  ask()
  await forward(0)
  reportEnd({ answered: false, status: 500, retryAfterMs: 9000 })
  ask()
  ask()
  await forward(0)
  assert.equal(starts, [0, 0, 0, 0])
})

test('--rpm spaces attempts evenly', async () => {
  const { ask, reportEnd, forward, starts } = startPace(8, 120)
  for (let i = 0; i < 4; i++) ask()
  await forward(0)
  reportEnd(ok)
  await forward(10_000)
  assert.equal(starts, [0, 500, 1000, 1500])
})

test('an abort ends every wait', async () => {
  const { clock, forward } = createManualClock()
  const controller = new AbortController()
  const { awaitTurn, attempts } = createRunPace(clock, { concurrency: 1, rpm: undefined })
  let ended = 0
  for (let i = 0; i < 3; i++) void awaitTurn(controller.signal).then(() => ended++)
  await forward(0)
  assert.is(ended, 1)
  controller.abort()
  await forward(0)
  assert.is(ended, 3)
  assert.is(attempts(), 1)
})

test.run()
