import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exitCodes } from '../../lib/failure/report'
import {
  createBusyResponse,
  createFakeClient,
  createNetworkError,
  type Reply,
} from '../client/call/fake-client'
import { type MainOptions, runMain } from './run-main'

const test = suite('main: retries')

const answeredReply: Reply = { body: '{"model":"m","answers":{}}' }
/** A request with an unknown type of question, and with numbers that JavaScript would write differently. */
const request = '{"state":1.0,"questions":{"q":{"type":"rank","x":1e400}},"extra":[ 1 ]}'

/** Runs `svc ask` with these replies of the service. Waits are in milliseconds, and without random jitter. */
const runAsk = async (replies: ReadonlyArray<Reply>, flags: ReadonlyArray<string> = []) => {
  const { client, waits, sentRequests } = createFakeClient(replies)
  const { code } = await runMain({
    argv: ['ask', ...flags],
    env: { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: 'http://service.test' },
    stdin: request,
    ...client.runtime,
    random: () => 0,
  })
  return { code, waits, sentRequests }
}

const retriedStatuses = [
  { status: 408, exitCode: 4 },
  { status: 429, exitCode: 5 },
  { status: 500, exitCode: 6 },
  { status: 502, exitCode: 6 },
  { status: 503, exitCode: 6 },
  { status: 504, exitCode: 6 },
  { status: 529, exitCode: 6 },
  { status: 599, exitCode: 6 },
]
for (const { status, exitCode } of retriedStatuses)
  test(`retries status ${status} twice`, async () => {
    const { code, waits, sentRequests } = await runAsk([{ status }, { status }, { status }])
    assert.is(sentRequests.length, 3)
    assert.equal(waits, [500, 1000])
    assert.is(code, exitCode)
  })

const finalStatuses = [
  { exitCode: 3, statuses: [401, 403] },
  { exitCode: 4, statuses: [300, 302, 304, 400, 404, 409, 413, 418, 422, 499] },
]
for (const { exitCode, statuses } of finalStatuses)
  test(`never retries the statuses ${statuses.join(', ')}`, async () => {
    for (const status of statuses) {
      const { code, sentRequests } = await runAsk([{ status }])
      assert.is(sentRequests.length, 1, `${status}`)
      assert.is(code, exitCode, `${status}`)
    }
  })

const lostConnections: ReadonlyArray<{ readonly title: string; readonly reply: Reply }> = [
  { title: 'a refused connection', reply: createNetworkError('ECONNREFUSED') },
  { title: 'an unknown host', reply: createNetworkError('ENOTFOUND') },
  {
    title: 'a connection that breaks within the response',
    reply: { bodyEnd: createNetworkError('ECONNRESET') },
  },
]
for (const { title, reply } of lostConnections)
  test(`retries ${title} twice`, async () => {
    const { code, waits } = await runAsk([reply, reply, reply])
    assert.equal(waits, [500, 1000])
    assert.is(code, exitCodes.connection)
  })

test('never retries a successful response with an invalid body', async () => {
  for (const body of ['', '{}', 'x']) {
    const { code, sentRequests } = await runAsk([{ body }])
    assert.is(sentRequests.length, 1)
    assert.is(code, 6)
  }
})

/**
 * Headers of a response, and the waits before the next attempt, in milliseconds. A retry at once has no wait. The clock starts at
 * midnight on 1 January 2026.
 */
const retryAfterCases: ReadonlyArray<
  readonly [headers: Readonly<Record<string, string>>, waits: ReadonlyArray<number>]
> = [
  [{ 'retry-after-ms': '70' }, [70]],
  [{ 'retry-after-ms': '70', 'retry-after': '9' }, [70]],
  [{ 'retry-after-ms': 'x', 'retry-after': '9' }, [9000]],
  [{ 'retry-after': '2' }, [2000]],
  [{ 'retry-after': '0.25' }, [250]],
  [{ 'retry-after': '30' }, [30_000]],
  [{ 'retry-after': '0' }, []],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' }, [7000]],
  // A time in the past.
  [{ 'retry-after': 'Wed, 31 Dec 2025 23:59:59 GMT' }, []],
  // Invalid values leave the backoff of 500 ms.
  [{ 'retry-after': 'soon' }, [500]],
  [{ 'retry-after': '-1' }, [500]],
]
for (const [headers, expectedWaits] of retryAfterCases)
  test(`waits ${expectedWaits[0] ?? 0} ms after ${JSON.stringify(headers)}`, async () => {
    for (const status of [429, 503]) {
      const { code, waits, sentRequests } = await runAsk([{ status, headers }, answeredReply])
      assert.equal(waits, expectedWaits)
      assert.is(sentRequests.length, 2)
      assert.is(code, 0)
    }
  })

test('fails at once if the service requests a wait over 30 s', async () => {
  for (const wait of ['31', '300', '86400', 'Thu, 01 Jan 2026 00:00:31 GMT']) {
    const { code, waits, sentRequests } = await runAsk([
      { status: 429, headers: { 'retry-after': wait } },
    ])
    assert.equal(waits, [], wait)
    assert.is(sentRequests.length, 1, wait)
    assert.is(code, exitCodes.rateLimit, wait)
  }
})

test('waits for 30 s in total at most', async () => {
  const busyReply = createBusyResponse({ 'retry-after': '14' })
  const replies = [busyReply, busyReply, busyReply, answeredReply]
  const { code, waits } = await runAsk(replies, ['--max-retries', '9'])
  // A third wait would end after 42 s.
  assert.equal(waits, [14_000, 14_000])
  assert.is(code, 6)
})

test('sends the same request with every attempt', async () => {
  const { sentRequests, code } = await runAsk([
    createBusyResponse(),
    createNetworkError('EPIPE'),
    answeredReply,
  ])
  assert.is(code, 0)
  const [first, second, third] = sentRequests.map(({ url, method, headers, body }) => ({
    url,
    method,
    headers,
    body: String(body),
  }))
  assert.match(first?.body ?? '', '"state":1.0,')
  assert.equal(second, first)
  assert.equal(third, first)
})

/** Runs `svc ask` with one retry, and returns the timers that it sets, in milliseconds. */
const recordTimers = async (flags: ReadonlyArray<string>): Promise<ReadonlyArray<number>> => {
  const { client, clock } = createFakeClient([createBusyResponse(), answeredReply])
  const timers: number[] = []
  const timer = (delayMs: number, callback: () => void) => {
    timers.push(delayMs)
    return client.runtime.clock.timer(delayMs, callback)
  }
  await runMain({
    argv: ['ask', ...flags],
    env: { SERVICE_API_KEY: 'k' },
    stdin: request,
    fetch: client.runtime.fetch,
    clock: { ...client.runtime.clock, timer },
  })
  assert.equal(clock.timers(), [], 'every timer is cleared')
  return timers
}

test('--timeout sets a timer for each attempt, and 0 sets none', async () => {
  // After two seconds svc shows a terminal that it waits.
  const waitingLineMs = 2000
  // The body of a failed response is read for up to 10 s, whatever the timeout is.
  const failureBodyMs = 10_000
  const defaultTimeoutMs = 10_000
  assert.equal(await recordTimers(['--timeout', '0']), [waitingLineMs, failureBodyMs])
  assert.equal(await recordTimers([]), [
    waitingLineMs,
    defaultTimeoutMs,
    failureBodyMs,
    defaultTimeoutMs,
  ])
  assert.equal(await recordTimers(['--timeout', '1m1.5s']), [
    waitingLineMs,
    61_500,
    failureBodyMs,
    61_500,
  ])
})

test('shows the waiting line on a terminal, unless TERM is dumb', async () => {
  const runModels = async (tty: MainOptions['tty'], term: string): Promise<string> => {
    const { client } = createFakeClient([
      createBusyResponse({ 'retry-after-ms': '2500' }),
      { body: '{"models":[]}' },
    ])
    const { stderr } = await runMain({
      argv: ['models', '--log-level', 'warning'],
      env: { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: 'http://127.0.0.1', TERM: term },
      ...client.runtime,
      tty,
    })
    return stderr.replace(/.*retrying.*\n/, 'LOG\n')
  }
  const eraseLine = '\r\u001b[K'
  const waitingLine = 'svc: GET /v1/models: 2s, attempt 2 of 3 (returned 503)'
  assert.is(await runModels(['stderr'], 'xterm'), `LOG\n${eraseLine}${waitingLine}${eraseLine}`)
  assert.is(await runModels(['stderr'], 'dumb'), 'LOG\n')
  assert.is(await runModels(['stdout'], 'xterm'), 'LOG\n')
})

test.run()
