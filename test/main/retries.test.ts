import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { busy, fakeEnv, networkError, type Reply } from '../client/call/support'
import { type MainOptions, runMain } from './run-main'

const test = suite('main: retries')

const answered: Reply = { body: '{"model":"m","answers":{}}' }
const request = '{"state":1.0,"questions":{"q":{"type":"rank","x":1e400}},"extra":[ 1 ]}'

/** Runs `svc ask`, and returns its waits, requests, stdout and exit code. `random` shortens waits by that share of a quarter. */
const runAsk = async (
  replies: ReadonlyArray<Reply>,
  flags: ReadonlyArray<string> = [],
  random = 0,
) => {
  const { env, waits, sent } = fakeEnv(replies)
  const { code, stdout } = await runMain({
    argv: ['ask', ...flags],
    env: { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: 'http://service.test' },
    stdin: request,
    ...env.runtime,
    random: () => random,
  })
  return { code, stdout, waits, sent }
}

test('408, 429, 5xx and lost connections are retried twice, other failures never', async () => {
  const twice = [408, 429, 500, 502, 503, 504, 529, 599]
  const once = [300, 302, 304, 400, 401, 403, 404, 409, 413, 418, 422, 499]
  const codes: Readonly<Record<number, number>> = { 401: 3, 403: 3, 408: 4, 429: 5 }
  for (const status of [...twice, ...once]) {
    const { code, waits, sent } = await runAsk([{ status }, { status }, { status }])
    const again = twice.includes(status)
    assert.equal(waits, again ? [500, 1000] : [], `${status}`)
    assert.is(sent.length, again ? 3 : 1)
    assert.is(code, codes[status] ?? (status >= 500 ? 6 : 4))
  }
  const cut = networkError('ECONNRESET', 'aborted')
  for (const reply of [networkError('ECONNREFUSED'), networkError('ENOTFOUND'), { after: cut }]) {
    const { code, waits } = await runAsk([reply, reply, reply])
    assert.equal([code, waits], [7, [500, 1000]])
  }
  for (const body of ['', '{}', 'x']) {
    const { code, sent } = await runAsk([{ body }])
    assert.equal([code, sent.length], [6, 1])
  }
})

test('retry-after-ms and Retry-After replace the backoff', async () => {
  const table: ReadonlyArray<readonly [Readonly<Record<string, string>>, ReadonlyArray<number>]> = [
    [{ 'retry-after-ms': '70' }, [70]],
    [{ 'retry-after-ms': '70', 'retry-after': '9' }, [70]],
    [{ 'retry-after-ms': 'x', 'retry-after': '9' }, [9000]],
    [{ 'retry-after': '2' }, [2000]],
    [{ 'retry-after': '0.25' }, [250]],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' }, [7000]],
    [{ 'retry-after': 'Wed, 31 Dec 2025 23:59:59 GMT' }, []],
    [{ 'retry-after': '0' }, []],
    [{ 'retry-after': 'soon' }, [500]],
    [{ 'retry-after': '-1' }, [500]],
    [{ 'retry-after': '30' }, [30_000]],
  ]
  for (const [headers, expected] of table) {
    for (const status of [429, 503]) {
      const { code, waits, sent } = await runAsk([{ status, headers }, answered])
      assert.equal([code, waits, sent.length], [0, expected, 2], JSON.stringify(headers))
    }
  }
})

test('a wait beyond the retry budget ends the call at once', async () => {
  for (const wait of ['31', '300', '86400', 'Thu, 01 Jan 2026 00:00:31 GMT']) {
    const { code, waits, sent } = await runAsk([{ status: 429, headers: { 'retry-after': wait } }])
    assert.equal([code, waits, sent.length], [5, [], 1], wait)
  }
  const slow = busy({ 'retry-after': '14' })
  const { code, waits } = await runAsk([slow, slow, slow, answered], ['--max-retries', '9'])
  assert.equal([code, waits], [6, [14_000, 14_000]])
})

test('every attempt sends the same bytes', async () => {
  const { sent, code } = await runAsk([busy(), networkError('EPIPE'), answered])
  assert.is(code, 0)
  const [first, ...others] = sent.map(({ url, method, headers, body }) =>
    JSON.stringify([url, method, headers, String(body)]),
  )
  assert.match(first ?? '', '\\"state\\":1.0,')
  assert.equal(others, [first, first])
})

test('--timeout 0 sets no timer, any other value sets one per attempt', async () => {
  // The line that shows what is awaited has a timer of its own for each call.
  const line = 2000
  // The body of the refusal is read for 10 s at most, whatever the flag says.
  const body = 10_000
  const set: number[] = []
  for (const flags of [['--timeout', '0'], [], ['--timeout', '1m1.5s']]) {
    const fake = fakeEnv([busy(), answered])
    const timer = (ms: number, act: () => void) => {
      set.push(ms)
      return fake.env.runtime.clock.timer(ms, act)
    }
    const { clock, fetch } = fake.env.runtime
    const env = { SERVICE_API_KEY: 'k' }
    await runMain({
      argv: ['ask', ...flags],
      env,
      stdin: request,
      fetch,
      clock: { ...clock, timer },
    })
    assert.equal(fake.clock.timers(), [])
  }
  assert.equal(set, [line, body, line, 10_000, body, 10_000, line, 61_500, body, 61_500])
})

test('a terminal shows the waiting line, unless TERM is dumb', async () => {
  const waiting = async (tty: MainOptions['tty'], TERM: string) => {
    const { env } = fakeEnv([busy({ 'retry-after-ms': '2500' }), { body: '{"models":[]}' }])
    const { stderr } = await runMain({
      argv: ['models', '--log-level', 'warning'],
      env: { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: 'http://127.0.0.1', TERM },
      ...env.runtime,
      ...(tty ? { tty } : {}),
    })
    return stderr.replace(/.*retrying.*\n/, 'LOG\n')
  }
  const line = 'svc: GET /v1/models: 2s, attempt 2 of 3 (returned 503)'
  assert.is(await waiting(['stderr'], 'xterm'), `LOG\n\r\u001b[K${line}\r\u001b[K`)
  assert.is(await waiting(['stderr'], 'dumb'), 'LOG\n')
  assert.is(await waiting(['stdout'], 'xterm'), 'LOG\n')
})

test.run()
