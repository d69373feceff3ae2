import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/until'
import {
  createStubEngine,
  exampleRequest,
  post,
  type RunningService,
  readJson,
  sendRaw,
  startService,
} from './run-service'

const test = suite('service: routes and failures over real sockets')
let service: RunningService

test.before(async () => {
  service = await startService(createStubEngine(), { keys: ['k', 'other'] })
})
test.after(() => service.stop())

const readDetail = async (response: Response) => (await readJson(response)).detail

test('answers every type of question with the concrete model, the usage and a request id', async () => {
  const response = await post(service.url, exampleRequest)
  assert.is(response.status, 200)
  assert.is(response.headers.get('content-type'), 'application/json')
  assert.match(response.headers.get('x-service-request-id') ?? '', /^req_[0-9a-z]{26}$/)
  assert.equal(await response.json(), {
    model: 'stub-1',
    answers: {
      billing: { type: 'noul', noul: 1 },
      tone: {
        type: 'choice',
        choice: 'calm',
        confidence: 1,
        probabilities: { calm: 1, angry: 0, neutral: 0 },
      },
      urgency: {
        type: 'score',
        score: 0,
        confidence: 1,
        legend: { '0': 'Not urgent', '1': 'Somewhat', '2': 'Very urgent' },
        probabilities: { '0': 1, '1': 0, '2': 0 },
      },
    },
    usage: { input_tokens: 7, output_tokens: null },
  })
})

test('the systemone dialect has the same answer, no null counts, and the request id under both names', async () => {
  const response = await post(
    service.url,
    { ...exampleRequest, model: 'jev-latest' },
    {},
    '/v1/systemone',
  )
  assert.is(response.status, 200)
  const id = response.headers.get('x-service-request-id')
  assert.is(response.headers.get('x-typesafe-request-id'), id)
  const expected = await readJson(await post(service.url, exampleRequest))
  assert.equal(await response.json(), { ...expected, usage: { input_tokens: 7, output_tokens: 0 } })
})

test('passes number literals and unusual names through unchanged', async () => {
  const body =
    '{"state":1e400,"questions":{"__proto__":{"type":"score","criteria":[[1.0],{"a":12345678901234567890}]},"10":{"type":"noul"}}}'
  const answer = await (await post(service.url, body)).text()
  assert.ok(answer.includes('"__proto__":{"type":"score"'))
  assert.ok(answer.includes('"legend":{"0":[1.0],"1":{"a":12345678901234567890}}'))
})

test("lists two models: svc-latest and the engine's", async () => {
  const response = await fetch(`${service.url}/v1/models`, {
    headers: { authorization: 'Bearer k' },
  })
  assert.is(response.status, 200)
  const { models } = await readJson(response)
  assert.equal(
    models.map((m) => m.name),
    ['svc-latest', 'stub-1'],
  )
  for (const name of [undefined, '', 'stub-1', 'svc-latest', 'jev-latest']) {
    const answer = await readJson(await post(service.url, { ...exampleRequest, model: name }))
    assert.is(answer.model, 'stub-1')
  }
})

test('health and metrics need no key', async () => {
  assert.equal(await (await fetch(`${service.url}/healthz`)).json(), { status: 'ok' })
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(
    metrics,
    /svc_http_requests_total\{route="\/v1\/questions",method="POST",status="200"\} \d/,
  )
  // Its other figures would take samples 100 times a second.
  assert.equal(metrics.match(/^nodejs_eventloop_\w+/gm), ['nodejs_eventloop_lag_seconds'])
  assert.match(metrics, /svc_questions_total\{type="choice"\} \d/)
  assert.match(metrics, /svc_engine_duration_seconds_count\{engine="stub",outcome="answered"\} \d/)
  assert.is((await fetch(`${service.url}/healthz`, { method: 'HEAD' })).status, 200)
})

test('400 for invalid JSON, an unknown model and an unsupported type', async () => {
  for (const body of ['{"state":', '', 'x', '{"a":1}x', '\u0000']) {
    const response = await post(service.url, body)
    assert.is(response.status, 400, body)
    const { error_type, message } = await readDetail(response)
    assert.is(error_type, 'api_usage_error')
    assert.match(message, /^invalid request JSON: line 1, column \d+: /)
  }
  const unknown = await post(service.url, { ...exampleRequest, model: 'svc-9' })
  assert.is(unknown.status, 400)
  assert.equal(await readDetail(unknown), {
    error_type: 'api_usage_error',
    message: 'Unknown model: svc-9',
  })
  const questions = { a: { type: 'noul' }, b: { type: 'essay', length: 3 } }
  const unsupported = await post(service.url, { state: 1, questions })
  assert.is(unsupported.status, 400)
  assert.match(
    (await readDetail(unsupported)).message,
    /questions\.b: unsupported question type "essay"/,
  )
})

test('invalid UTF-8 is a 400 that names the byte', async () => {
  const body = Buffer.from('{"state":"\xff","questions":{}}', 'latin1')
  const response = await fetch(`${service.url}/v1/questions`, {
    method: 'POST',
    headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    body,
  })
  assert.is(response.status, 400)
  assert.match((await readDetail(response)).message, /invalid UTF-8/)
})

test('422 lists every fault', async () => {
  const response = await post(service.url, {
    model: 7,
    questions: {
      a: { type: 'choice', criteria: {} },
      b: { type: 'score', criteria: ['x', null], extra: 1 },
      c: { type: 'noul', criteria: { maybe: 'x' } },
      d: 'text',
    },
  })
  assert.is(response.status, 422)
  const list = await readDetail(response)
  const places = list.map((fault) => fault.loc.join('.'))
  for (const place of [
    'body.state',
    'body.model',
    'body.questions.a.criteria',
    'body.questions.b.extra',
    'body.questions.c.criteria.maybe',
    'body.questions.d',
  ]) {
    assert.ok(places.includes(place), `${place} in ${places}`)
  }
  for (const { msg, type } of list) assert.ok(msg.length > 0 && type.length > 0)
})

test('a document full of faults does not cause a larger answer', async () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`q${i}`, 1]))
  const response = await post(service.url, { state: 1, questions: many })
  assert.is(response.status, 422)
  const list = await readDetail(response)
  assert.is(list.length, 21)
  assert.is(list[20]?.msg, '980 more faults')
})

test('401 without a key or with a wrong one, on both operations', async () => {
  for (const authorization of [undefined, '', 'Bearer', 'Bearer nobody', 'Basic k', 'k']) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    for (const path of ['/v1/models', '/v1/questions']) {
      const method = path === '/v1/models' ? 'GET' : 'POST'
      const response = await fetch(`${service.url}${path}`, { method, headers })
      assert.is(response.status, 401, `${path} ${authorization}`)
      assert.is(response.headers.get('www-authenticate'), 'Bearer')
      assert.is((await readDetail(response)).error_type, 'authentication_error')
    }
  }
  assert.is(
    (await post(service.url, exampleRequest, { authorization: 'bearer   other' })).status,
    200,
  )
})

test('404 and 405 with Allow', async () => {
  for (const path of [
    '/',
    '/v1',
    '/v1/questions/',
    '/v1/question',
    '/V1/QUESTIONS',
    '/v1//models',
  ]) {
    const response = await fetch(`${service.url}${path}`)
    assert.is(response.status, 404, path)
    assert.equal(await readDetail(response), { error_type: 'not_found', message: 'Not Found' })
  }
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ['GET', '/v1/questions', 'POST'],
    ['PUT', '/v1/systemone', 'POST'],
    ['POST', '/v1/models', 'GET, HEAD'],
    ['DELETE', '/healthz', 'GET, HEAD'],
    ['OPTIONS', '/metrics', 'GET, HEAD'],
  ]
  for (const [method, path, allow] of cases) {
    const response = await fetch(`${service.url}${path}`, { method })
    assert.is(response.status, 405, `${method} ${path}`)
    assert.is(response.headers.get('allow'), allow)
    assert.is((await readDetail(response)).error_type, 'method_not_allowed')
  }
})

test('415: other types, charsets and encodings; no type counts as JSON', async () => {
  const text = JSON.stringify(exampleRequest)
  const refused: ReadonlyArray<Record<string, string>> = [
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-type': 'application/json; charset=latin1' },
    { 'content-encoding': 'gzip' },
  ]
  for (const headers of refused) {
    const response = await post(service.url, text, headers)
    assert.is(response.status, 415, JSON.stringify(headers))
    assert.is((await readDetail(response)).error_type, 'unsupported_media_type')
  }
  for (const type of [
    'application/json;charset="UTF-8"',
    'Application/JSON',
    'application/ld+json',
  ]) {
    assert.is((await post(service.url, text, { 'content-type': type })).status, 200, type)
  }
  const head = `POST /v1/questions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n`
  assert.match(await sendRaw(service.port, [head, text]), /^HTTP\/1\.1 200 /)
})

test('413 by the announced length and by the received length', async () => {
  const head = 'POST /v1/questions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n'
  const allowed = [Buffer.from('200000\r\n'), Buffer.alloc(2 << 20, 0x20), '\r\n']
  const requests = [
    [`${head}Content-Length: 2097153\r\n\r\n`],
    [`${head}Transfer-Encoding: chunked\r\n\r\n`, ...allowed, '1\r\n \r\n'],
  ]
  const answers = await Promise.all(requests.map((pieces) => sendRaw(service.port, pieces)))
  for (const answer of answers)
    assert.match(answer, /^HTTP\/1\.1 413 [\s\S]*request exceeds 2097152 bytes \(--max-body\)/)
})

test('accepts a body of exactly --max-body', async () => {
  const open = '{"questions":{"a":{"type":"noul"}},"state":"'
  const body = `${open}${'x'.repeat((2 << 20) - open.length - 2)}"}`
  assert.is(body.length, 2 << 20)
  assert.is((await post(service.url, body)).status, 200)
})

test('answers Expect: 100-continue', async () => {
  const text = JSON.stringify(exampleRequest)
  const head = `POST /v1/questions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${text.length}\r\n\r\n`
  const waitForContinue = (received: () => string) =>
    until(() => received().includes('100 Continue'))
  const answer = await sendRaw(service.port, [head, text], { pause: waitForContinue })
  assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
})

test('bad HTTP gets a 400, too many headers a 431', async () => {
  for (const bytes of ['NONSENSE\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', 'GET * HTTP/1.1\r\n\r\n'])
    assert.match(await sendRaw(service.port, [bytes], { closesHalf: true }), /^HTTP\/1\.1 400 /)
  const long = `GET /healthz HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`
  assert.match(await sendRaw(service.port, [long], { closesHalf: true }), /^HTTP\/1\.1 431 /)
})

test('HTTP/1.1 needs exactly one Host header, HTTP/1.0 none', async () => {
  const end = 'Connection: close\r\n\r\n'
  for (const [head, status] of [
    ['GET /healthz HTTP/1.1\r\n', 400],
    ['GET /healthz HTTP/1.1\r\nHost: a\r\nhost: a\r\n', 400],
    [`GET /healthz HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(2500)}Host: b\r\n`, 400],
    ['GET /healthz HTTP/1.1\r\nHost: anything.example\r\n', 200],
    ['GET /healthz HTTP/1.0\r\n', 200],
  ] as const)
    assert.match(
      await sendRaw(service.port, [head + end]),
      new RegExp(`^HTTP/1.1 ${status} `),
      head,
    )
})

test('without keys, only this machine may be named as Host', async () => {
  const open = await startService()
  const here = [
    'localhost',
    'LOCALHOST:1',
    'x.localhost',
    '127.0.0.1:8787',
    '127.9.9.9',
    '[::1]:80',
  ]
  const others = [
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil',
    '10.0.0.1',
    '[::2]',
    '',
  ]
  for (const [hosts, status] of [
    [here, 200],
    [others, 403],
  ] as const)
    for (const host of hosts)
      for (const path of ['/healthz', '/v1/models']) {
        const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer k\r\n`
        const answer = await sendRaw(open.port, [`${head}Connection: close\r\n\r\n`])
        assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), host)
      }
  for (const [target, status] of [
    ['http://evil.example/healthz', 403],
    ['http://127.0.0.1/healthz?x', 200],
  ] as const) {
    const head = `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`
    assert.match(await sendRaw(open.port, [head]), new RegExp(`^HTTP/1.1 ${status} `), target)
  }
  await open.stop()
})

test('a refusal before the body has been read closes the connection', async () => {
  const post = 'POST /v1/questions HTTP/1.1\r\nHost: localhost\r\n'
  const key = 'Authorization: Bearer k\r\n'
  for (const [status, head] of [
    [401, `${post}Content-Length: 9\r\n\r\n`],
    [413, `${post}${key}Content-Length: 9999999\r\n\r\n`],
    [415, `${post}${key}Content-Type: text/plain\r\nContent-Length: 9\r\n\r\n`],
  ] as const)
    assert.match(
      await sendRaw(service.port, [head]),
      new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*connection: close[\\s\\S]*\\{.*\\}$`, 'i'),
    )
})

test('a path that the app does not see is refused with an id', async () => {
  const answer = await sendRaw(service.port, [
    'GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  ])
  assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*x-service-request-id: req_[\s\S]*api_usage_error/)
})

test('without keys on this machine any token is accepted, or none', async () => {
  const open = await startService()
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(exampleRequest)
  const init = { method: 'POST', headers, body }
  assert.is((await fetch(`${open.url}/v1/questions`, init)).status, 200)
  assert.is((await fetch(`${open.url}/v1/models`)).status, 200)
  assert.is((await post(open.url, exampleRequest, { authorization: 'Bearer any' })).status, 200)
  await open.stop()
})

test('the log has a line for each request and never a key, state or question', async () => {
  await post(
    service.url,
    { ...exampleRequest, state: 'wholly-secret' },
    { authorization: 'Bearer hidden-key' },
  )
  await post(service.url, { ...exampleRequest, state: 'wholly-secret' })
  const lines = service.lines.join('')
  assert.match(
    lines,
    /msg=request request_id=req_\w+ method=POST route=\/v1\/questions status=200 duration=[\d.]+ms peer=127\.0\.0\.1 questions=3 model=stub-1/,
  )
  assert.match(lines, /status=401 .*error=authentication_error/)
  assert.not.match(lines, /hidden-key|wholly-secret|Bearer|billing/)
})

test.run()
