import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  atCapacity,
  engineFailed,
  engineRefusedKey,
  engineTooSlow,
  maxTokensExceeded,
  unsupportedType,
} from '../../lib/service/contract/problem'
import { createTokenBuckets } from '../../lib/service/http/admit'
import { handClock } from '../support/clock'
import { closeAfterEach } from '../support/servers'
import { until } from '../support/until'
import {
  chooseFirstOptions,
  createStubEngine,
  exampleRequest,
  post,
  type RunningService,
  readJson,
  sendRaw,
  startService,
} from './run-service'

const test = suite('service: limits and engines that fail')
closeAfterEach(test)

const fetchMetrics = async (service: RunningService): Promise<string> =>
  (await fetch(`${service.url}/metrics`)).text()
const readErrorType = async (response: Response) => (await readJson(response)).detail.error_type

test('429 with both headers for a key over its rate; other keys are not affected', async () => {
  const service = await startService(createStubEngine(), { maxRequestsPerMinute: 2 })
  const statuses: number[] = []
  for (let i = 0; i < 3; i++) statuses.push((await post(service.url, exampleRequest)).status)
  assert.equal(statuses, [200, 200, 429])
  const limited = await post(service.url, exampleRequest)
  assert.is(limited.headers.get('retry-after'), '30')
  const ms = Number(limited.headers.get('retry-after-ms'))
  assert.ok(ms > 29_000 && ms <= 30_000, String(ms))
  assert.is(await readErrorType(limited), 'rate_limit_error')
  assert.is((await post(service.url, exampleRequest, { authorization: 'Bearer b' })).status, 200)
  assert.is((await fetch(`${service.url}/healthz`)).status, 200)
})

test('a rate limit allows the requests of one minute at once, then one at a time', () => {
  let now = 0
  const limit = createTokenBuckets(3, () => now)
  assert.equal([limit('a'), limit('a'), limit('a')], [0, 0, 0])
  assert.is(limit('a'), 20_000)
  now += 5_000
  assert.is(limit('a'), 15_000)
  assert.is(limit('b'), 0)
  now += 15_000
  assert.is(limit('a'), 0)
  assert.is(limit('a'), 20_000)
  now += 3_600_000
  assert.equal([limit('a'), limit('a'), limit('a'), limit('a') > 0], [0, 0, 0, true])
})

for (const [kind, only, running, waiting] of [
  ['an engine that waits', {}, 2, 3],
  ['an engine that computes', { takesOneRequest: true }, 1, 4],
] as const)
  test(`529 with Retry-After if as many requests as allowed wait for ${kind}; all of those are answered`, async () => {
    let release: () => void = () => undefined
    const open = new Promise<void>((done) => {
      release = done
    })
    const engine = createStubEngine(async (request) => {
      await open
      return chooseFirstOptions(request)
    })
    const service = await startService({ ...engine, ...only }, { maxConcurrent: 2, maxWaiting: 5 })
    const calls = Array.from({ length: 5 }, () => post(service.url, exampleRequest))
    await until(async () =>
      (await fetchMetrics(service)).includes(`svc_requests_waiting ${waiting}\n`),
    )
    const refused = await post(service.url, exampleRequest)
    assert.is(refused.status, 529)
    assert.is(refused.headers.get('retry-after'), '1')
    assert.is(await readErrorType(refused), 'overloaded_error')
    assert.ok((await fetchMetrics(service)).includes(`svc_requests_running ${running}\n`))
    release()
    assert.equal(
      (await Promise.all(calls)).map(({ status }) => status),
      [200, 200, 200, 200, 200],
    )
  })

test('a key may have half of the waiting requests, and other keys are not affected', async () => {
  const end = new AbortController()
  const engine = createStubEngine(
    (request) =>
      new Promise((answer) => {
        end.signal.addEventListener('abort', () => answer(chooseFirstOptions(request)))
      }),
  )
  const service = await startService(engine, { keys: ['greedy', 'modest'], maxWaiting: 4 })
  const ask = (key: string) => post(service.url, exampleRequest, { authorization: `Bearer ${key}` })
  const calls = [ask('greedy'), ask('greedy')]
  await until(async () => /svc_requests_running 2\n/.test(await fetchMetrics(service)))
  assert.is((await ask('greedy')).status, 529)
  calls.push(ask('modest'))
  await until(async () => /svc_requests_running 3\n/.test(await fetchMetrics(service)))
  end.abort()
  assert.equal(
    (await Promise.all(calls)).map(({ status }) => status),
    [200, 200, 200],
  )
})

test('a request counts from its headers on, before its body has arrived', async () => {
  const service = await startService(createStubEngine(), { maxWaiting: 1 })
  const body = JSON.stringify(exampleRequest)
  const head = `POST /v1/questions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`
  const statuses: number[] = []
  const answer = await sendRaw(service.port, [head, body], {
    pause: async () => {
      if (statuses.length > 0) return
      await until(async () => (await post(service.url, exampleRequest)).status === 529)
      statuses.push(529)
    },
  })
  assert.match(answer, /^HTTP\/1\.1 200 /)
  assert.is((await post(service.url, exampleRequest)).status, 200)
})

test('a caller that disconnects makes room for another, and its call of the engine is cancelled', async () => {
  let asked = false
  const cancelled: unknown[] = []
  const engine = createStubEngine((_, { signal }) => {
    asked = true
    signal.addEventListener('abort', (event) => cancelled.push(event))
    return new Promise(() => undefined)
  })
  const service = await startService(engine, { maxConcurrent: 1, maxWaiting: 2 })
  const leave = [new AbortController(), new AbortController()]
  const calls = leave.map(({ signal }) =>
    fetch(`${service.url}/v1/questions`, {
      method: 'POST',
      headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
      body: JSON.stringify(exampleRequest),
      signal,
    }).catch(() => 'left'),
  )
  await until(async () => asked && /svc_requests_waiting 1\n/.test(await fetchMetrics(service)))
  assert.is((await post(service.url, exampleRequest)).status, 529)
  for (const one of leave) one.abort()
  assert.equal(await Promise.all(calls), ['left', 'left'])
  await until(() => service.lines.join('').split('status=499').length === 3)
  assert.is(cancelled.length, 1)
  const lines = service.lines.join('')
  assert.is(lines.split('status=499').length, 3)
  assert.is(lines.split('error=client_closed_request').length, 3)
  // Metrics are computed once a second.
  await until(async () => /svc_requests_running 0\n/.test(await fetchMetrics(service)))
  const metrics = await fetchMetrics(service)
  for (const [outcome, count] of [['client_closed_request', 2]])
    assert.match(metrics, new RegExp(`_duration_seconds_count\\{[^}]*"${outcome}"\\} ${count}`))
})

test('504 if the engine is too slow, even if it ignores the signal', async () => {
  const clock = handClock()
  const engine = createStubEngine(() => new Promise(() => undefined))
  const service = await startService(engine, { answerTimeoutMs: 200, maxConcurrent: 1 }, { clock })
  const answers = [post(service.url, exampleRequest), post(service.url, exampleRequest)]
  await until(() => clock.timers().filter((ms) => ms === 200).length === 2)
  clock.pass(200)
  for (const response of await Promise.all(answers)) {
    assert.is(response.status, 504)
    assert.is(await readErrorType(response), 'engine_timeout')
  }
})

test('failures of engines become 502, 504, 529 and 400', async () => {
  const cases = [
    [engineFailed('The engine is not there.'), 502, 'engine_error', null],
    [engineRefusedKey('The engine refused the key.'), 502, 'engine_auth', null],
    [engineTooSlow('The engine took too long.'), 504, 'engine_timeout', null],
    [atCapacity('The engine is busy.', 2500), 529, 'overloaded_error', '3'],
    [unsupportedType('No such question.'), 400, 'unsupported_question_type', null],
    [maxTokensExceeded('9 tokens, at most 8.'), 400, 'max_tokens_exceeded', null],
  ] as const
  for (const [failure, status, type, retryAfter] of cases) {
    const service = await startService(createStubEngine(async () => failure))
    const response = await post(service.url, exampleRequest)
    assert.is(response.status, status)
    assert.is(response.headers.get('retry-after'), retryAfter)
    assert.equal((await readJson(response)).detail, { error_type: type, message: failure.message })
  }
})

test('each 502 and 504 is logged with its id and the engine’s cause, and without the request', async () => {
  const words = 'I was charged twice this month.'
  const cases = [
    [engineFailed('Gone.', 'refused (host:1)'), 502, 'cause="refused (host:1)"'],
    [engineRefusedKey('The key.'), 502, 'cause="The key."'],
    [engineTooSlow('two\nlines', 'late'), 504, 'cause=late'],
    [engineFailed(`It said: '${words}'`, 'status 500'), 502, 'cause="status 500"'],
  ] as const
  for (const [failure, status, cause] of cases) {
    const service = await startService(
      createStubEngine(async () => failure),
      {},
      { level: 'warning' },
    )
    const response = await post(service.url, { ...exampleRequest, state: words })
    const id = response.headers.get('x-service-request-id')
    assert.is(service.lines.length, 1)
    const [line = ''] = service.lines
    const head = ` level=warning msg="engine failed" request_id=${id} status=${status} `
    assert.is(line.slice(line.indexOf(' ')), `${head}${cause}\n`)
  }
  const clock = handClock()
  const engine = createStubEngine(() => new Promise(() => undefined))
  const late = await startService(engine, { answerTimeoutMs: 50 }, { clock })
  const answer = post(late.url, exampleRequest)
  await until(() => clock.timers().includes(50))
  clock.pass(50)
  await answer
  assert.match(late.lines.join(''), /status=504 cause="no answer within 50 ms, waiting/)
})

test('does not log a failure of the engine if the caller has left', async () => {
  let asked = false
  const service = await startService(
    createStubEngine((_, { signal }) => {
      asked = true
      return new Promise((done) =>
        signal.addEventListener('abort', () => done(engineFailed('Cut.'))),
      )
    }),
  )
  const end = new AbortController()
  const call = fetch(`${service.url}/v1/questions`, {
    method: 'POST',
    headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    body: JSON.stringify(exampleRequest),
    signal: end.signal,
  }).catch(() => 'left')
  await until(() => asked)
  end.abort()
  await call
  await until(() => /status=499/.test(service.lines.join('')))
  assert.not.match(service.lines.join(''), /level=warning/)
})

test('502 without details if an engine throws, or if its answers fit no question', async () => {
  const engines = [
    createStubEngine(async () => {
      throw new Error('at secret (place.ts:1)')
    }),
    createStubEngine(async () => []),
    createStubEngine(async (request) => request.questions.map(() => ({ type: 'noul', yes: 2 }))),
  ]
  for (const engine of engines) {
    const service = await startService(engine)
    const response = await post(service.url, exampleRequest)
    assert.is(response.status, 502)
    assert.not.match(await response.text(), /secret|place/)
    assert.match(service.lines.join(''), /level=warning msg="engine failed"/)
  }
})

test('an engine that dies under load: every request ends, and it is there again afterwards', async () => {
  let asked = 0
  const engine = createStubEngine(async (request) => {
    asked += 1
    const alive = asked <= 100 || asked > 200
    await new Promise((done) => setImmediate(done))
    if (!alive) return engineFailed('The engine is not there.')
    return chooseFirstOptions(request)
  })
  const service = await startService(engine, { maxConcurrent: 16, maxWaiting: 500 })
  const statuses: number[] = []
  const caller = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) statuses.push((await post(service.url, exampleRequest)).status)
  }
  await Promise.all(Array.from({ length: 20 }, caller))
  assert.is(statuses.filter((status) => status === 200).length, 300)
  assert.is(statuses.filter((status) => status === 502).length, 100)
})

test('408 for headers or a body that do not come in time', async () => {
  const clock = handClock()
  const service = await startService(createStubEngine(), { readTimeoutMs: 300 }, { clock })
  const head = 'POST /v1/questions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\n'
  const body = `${head}Content-Length: 100\r\n\r\n{"state":`
  const isComplete = (received: string) => received.endsWith('}')
  const passing = (ms: number) => async (received: () => string) => {
    await until(() => isComplete(received()) || clock.timers().includes(300))
    clock.pass(ms)
  }
  for (const answer of [
    await sendRaw(service.port, [body], { pause: passing(300), isComplete }),
    // A caller that is slow all the time.
    await sendRaw(service.port, [body, ...'1,"x"'], { pause: passing(100), isComplete }),
  ])
    assert.match(answer, /^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*request_timeout/i)
  // Node measures the time for headers by itself.
  assert.match(await sendRaw(service.port, [head], { isComplete }), /^HTTP\/1\.1 408 /)
  assert.is((await post(service.url, exampleRequest)).status, 200)
})

test('a caller that closes its half of the connection has left', async () => {
  let asked = false
  let cancelled = false
  const engine = createStubEngine((_, { signal }) => {
    asked = true
    signal.addEventListener('abort', () => {
      cancelled = true
    })
    return new Promise(() => undefined)
  })
  const service = await startService(engine)
  const text = JSON.stringify(exampleRequest)
  const head = `POST /v1/questions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\nContent-Length: ${text.length}\r\n\r\n`
  await sendRaw(service.port, [head + text], { closesHalf: true, pause: () => until(() => asked) })
  await until(() => cancelled)
  assert.is((await fetch(`${service.url}/healthz`)).status, 200)
})

test.run()
