import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRateLimiter } from '../../lib/service/http/admit'
import { createManualClock } from '../support/clock'
import { closeAfterEach } from '../support/servers'
import { until } from '../support/until'
import {
  chooseFirstOptions,
  createStubEngine,
  exampleRequest,
  post,
  postUntilAborted,
  type RunningService,
  readJson,
  sendRaw,
  startService,
} from './run-service'

const test = suite('service: limits of rate, queue and time')
closeAfterEach(test)

const exampleBody = JSON.stringify(exampleRequest)

/** The first lines of a raw request. */
const requestHead = 'POST /v1/questions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\n'

const fetchMetrics = async (service: RunningService): Promise<string> =>
  (await fetch(`${service.url}/metrics`)).text()

/** Waits until a metric has a value. The service computes its metrics at most once per second. */
const waitForGauge = (service: RunningService, name: string, value: number): Promise<void> =>
  until(async () => (await fetchMetrics(service)).includes(`${name} ${value}\n`))

const readErrorType = async (response: Response) => (await readJson(response)).detail.error_type

const listStatuses = async (calls: ReadonlyArray<Promise<Response>>) =>
  (await Promise.all(calls)).map(({ status }) => status)

/** Creates an engine that answers all its calls when `release` is called. */
const createHoldingEngine = () => {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const engine = createStubEngine(async (request) => {
    await released
    return chooseFirstOptions(request)
  })
  return { engine, release }
}

/** Creates an engine that never answers. It counts its calls and the calls that were aborted. */
const createSilentEngine = () => {
  const counts = { calls: 0, aborted: 0 }
  const engine = createStubEngine((_, { signal }) => {
    counts.calls += 1
    signal.addEventListener('abort', () => {
      counts.aborted += 1
    })
    return new Promise(() => undefined)
  })
  return { engine, counts }
}

test('answers 429 with two wait headers if a key exceeds its rate, and answers other keys', async () => {
  const service = await startService(createStubEngine(), { maxRequestsPerMinute: 2 })
  const statuses: number[] = []
  for (let i = 0; i < 3; i++) statuses.push((await post(service.url, exampleRequest)).status)
  assert.equal(statuses, [200, 200, 429])
  const limited = await post(service.url, exampleRequest)
  // Two requests per minute are one every 30 seconds.
  assert.is(limited.headers.get('retry-after'), '30')
  const waitMs = Number(limited.headers.get('retry-after-ms'))
  assert.ok(waitMs > 29_000 && waitMs <= 30_000, String(waitMs))
  assert.is(await readErrorType(limited), 'rate_limit_error')
  const otherKey = await post(service.url, exampleRequest, {
    headers: { authorization: 'Bearer b' },
  })
  assert.is(otherKey.status, 200)
  assert.is((await fetch(`${service.url}/healthz`)).status, 200)
})

test('the rate limiter’s bucket for a holder begins full and is refilled evenly', () => {
  let now = 0
  const takePermit = createRateLimiter(3, () => now)
  assert.equal([takePermit('a'), takePermit('a'), takePermit('a')], [0, 0, 0])
  // Three permits per minute are one every 20 seconds.
  assert.is(takePermit('a'), 20_000)
  now += 5_000
  assert.is(takePermit('a'), 15_000)
  now += 15_000
  assert.is(takePermit('a'), 0)
  assert.is(takePermit('a'), 20_000)
})

test('the rate limiter has a bucket for each holder', () => {
  const takePermit = createRateLimiter(1, () => 0)
  assert.equal([takePermit('a'), takePermit('a'), takePermit('b')], [0, 60_000, 0])
})

test('the rate limiter’s bucket never has more permits than the limit', () => {
  let now = 0
  const takePermit = createRateLimiter(2, () => now)
  takePermit('a')
  now += 3_600_000
  assert.equal([takePermit('a'), takePermit('a'), takePermit('a')], [0, 0, 30_000])
})

/** The cases of a test with five requests. `running` of them are with the engine, and `waiting` of them wait. */
const queueCases = [
  { title: 'concurrent calls', takesOneRequest: false, running: 2, waiting: 3 },
  { title: 'one call at a time', takesOneRequest: true, running: 1, waiting: 4 },
]

for (const { title, takesOneRequest, running, waiting } of queueCases)
  test(`answers 529 above --max-waiting, and answers the waiting requests: ${title}`, async () => {
    const { engine, release } = createHoldingEngine()
    const service = await startService(takesOneRequest ? { ...engine, takesOneRequest } : engine, {
      maxConcurrent: 2,
      maxWaiting: 5,
    })
    const calls = Array.from({ length: 5 }, () => post(service.url, exampleRequest))
    await waitForGauge(service, 'svc_requests_waiting', waiting)
    await waitForGauge(service, 'svc_requests_running', running)

    const refusal = await post(service.url, exampleRequest)

    assert.is(refusal.status, 529)
    assert.is(refusal.headers.get('retry-after'), '1')
    assert.is(await readErrorType(refusal), 'overloaded_error')
    release()
    assert.equal(await listStatuses(calls), [200, 200, 200, 200, 200])
  })

test('answers 529 to a key with half of --max-waiting, and answers other keys', async () => {
  const { engine, release } = createHoldingEngine()
  const service = await startService(engine, { keys: ['greedy', 'modest'], maxWaiting: 4 })
  const ask = (key: string) =>
    post(service.url, exampleRequest, { headers: { authorization: `Bearer ${key}` } })
  const calls = [ask('greedy'), ask('greedy')]
  await waitForGauge(service, 'svc_requests_running', 2)
  assert.is((await ask('greedy')).status, 529)
  calls.push(ask('modest'))
  await waitForGauge(service, 'svc_requests_running', 3)
  release()
  assert.equal(await listStatuses(calls), [200, 200, 200])
})

test('counts a request as waiting before its body has arrived', async () => {
  const service = await startService(createStubEngine(), { maxWaiting: 1 })
  const head = `${requestHead}Connection: close\r\nContent-Length: ${exampleBody.length}\r\n\r\n`
  let isRefused = false
  // Called after the head, and again after the body.
  const pause = async (): Promise<void> => {
    if (isRefused) return
    await until(async () => (await post(service.url, exampleRequest)).status === 529)
    isRefused = true
  }
  const response = await sendRaw(service.port, [head, exampleBody], { pause })
  assert.match(response, /^HTTP\/1\.1 200 /)
  assert.is((await post(service.url, exampleRequest)).status, 200)
})

test('a disconnected caller does not count as waiting, and its call to the engine is aborted', async () => {
  const { engine, counts } = createSilentEngine()
  const service = await startService(engine, { maxConcurrent: 1, maxWaiting: 2 })
  const disconnect = new AbortController()
  const calls = [1, 2].map(() => postUntilAborted(service, disconnect.signal))
  await until(() => counts.calls === 1)
  await waitForGauge(service, 'svc_requests_waiting', 1)
  assert.is((await post(service.url, exampleRequest)).status, 529)

  disconnect.abort()
  await Promise.all(calls)

  await waitForGauge(service, 'svc_requests_running', 0)
  assert.equal(counts, { calls: 1, aborted: 1 })
  await until(() => service.logLines.join('').match(/status=499/g)?.length === 2)
  assert.is(service.logLines.join('').match(/error=client_closed_request/g)?.length, 2)
  const disconnectedCount = /_duration_seconds_count\{[^}]*"client_closed_request"\} 2/
  assert.match(await fetchMetrics(service), disconnectedCount)
})

test('aborts the call to the engine if the caller closes its half of the connection', async () => {
  const { engine, counts } = createSilentEngine()
  const service = await startService(engine)
  const request = `${requestHead}Content-Length: ${exampleBody.length}\r\n\r\n${exampleBody}`
  const pause = () => until(() => counts.calls === 1)
  await sendRaw(service.port, [request], { endsAfterSending: true, pause })
  await until(() => counts.aborted === 1)
})

test('answers 504 after --answer-timeout, even if the engine ignores the signal', async () => {
  const clock = createManualClock()
  const { engine } = createSilentEngine()
  const options = { answerTimeoutMs: 200, maxConcurrent: 1 }
  const service = await startService(engine, { ...options, clock })
  const calls = [post(service.url, exampleRequest), post(service.url, exampleRequest)]
  // Both requests have arrived if each has a timer.
  await until(() => clock.timers().filter((ms) => ms === 200).length === 2)

  clock.advance(200)

  for (const response of await Promise.all(calls)) {
    assert.is(response.status, 504)
    assert.is(await readErrorType(response), 'engine_timeout')
  }
  const cause = /status=504 cause="no answer within 200 ms, waiting/
  assert.match(service.logLines.join(''), cause)
})

const bodyBeginning = `${requestHead}Content-Length: 100\r\n\r\n{"state":`
const isJsonComplete = (received: string): boolean => received.endsWith('}')

const slowBodies: ReadonlyArray<{
  readonly title: string
  readonly chunks: ReadonlyArray<string>
  readonly msPerChunk: number
}> = [
  { title: 'stops', chunks: [bodyBeginning], msPerChunk: 300 },
  // Each further chunk is one byte. The time limit is for the whole body, so it passes although bytes keep arriving.
  { title: 'is slow all the time', chunks: [bodyBeginning, ...'1,"x"'], msPerChunk: 100 },
]

for (const { title, chunks, msPerChunk } of slowBodies)
  test(`answers 408 if the body of a request ${title}`, async () => {
    const clock = createManualClock()
    const service = await startService(createStubEngine(), { readTimeoutMs: 300, clock })
    const pause = async (readReceived: () => string): Promise<void> => {
      // While the service waits for the body, it has a timer of 300 ms.
      await until(() => isJsonComplete(readReceived()) || clock.timers().includes(300))
      clock.advance(msPerChunk)
    }
    const response = await sendRaw(service.port, chunks, { pause, isComplete: isJsonComplete })
    assert.match(response, /^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*request_timeout/i)
  })

test('answers 408 if the headers of a request do not arrive in time', async () => {
  // Node measures this time with its own clock.
  const service = await startService(createStubEngine(), { readTimeoutMs: 300 })
  assert.match(await sendRaw(service.port, [requestHead]), /^HTTP\/1\.1 408 /)
  assert.is((await post(service.url, exampleRequest)).status, 200)
})

test.run()
