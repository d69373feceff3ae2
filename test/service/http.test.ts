import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  createStubEngine,
  exampleRequest,
  post,
  type RunningService,
  readJson,
  startService,
} from './run-service'

const test = suite('service: routes and failures over HTTP')
let service: RunningService

test.before(async () => {
  service = await startService(createStubEngine(), { keys: ['k', 'other'] })
})
test.after(() => service.stop())

const readDetail = async (response: Response) => (await readJson(response)).detail

test('answers every question type with the model’s name, the usage and a request id', async () => {
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

// /v1/systemone is for clients of System One, which ask for the model `jev-latest`.
test('/v1/systemone has the same answers, 0 for an unknown token count, and the request id in two headers', async () => {
  const request = { ...exampleRequest, model: 'jev-latest' }
  const response = await post(service.url, request, { path: '/v1/systemone' })
  assert.is(response.status, 200)
  const id = response.headers.get('x-service-request-id')
  assert.is(response.headers.get('x-typesafe-request-id'), id)
  const expected = await readJson(await post(service.url, exampleRequest))
  assert.equal(await response.json(), { ...expected, usage: { input_tokens: 7, output_tokens: 0 } })
})

test('returns number literals and unusual names unchanged', async () => {
  const levels = '[[1.0],{"a":12345678901234567890}]'
  const score = `{"type":"score","criteria":${levels}}`
  const body = `{"state":1e400,"questions":{"__proto__":${score},"10":{"type":"noul"}}}`
  const answer = await (await post(service.url, body)).text()
  assert.ok(answer.includes('"__proto__":{"type":"score"'))
  assert.ok(answer.includes('"legend":{"0":[1.0],"1":{"a":12345678901234567890}}'))
})

test('lists svc-latest and the engine’s model', async () => {
  const headers = { authorization: 'Bearer k' }
  const response = await fetch(`${service.url}/v1/models`, { headers })
  assert.is(response.status, 200)
  const { models } = await readJson(response)
  assert.equal(
    models.map(({ name }) => name),
    ['svc-latest', 'stub-1'],
  )
})

for (const model of [undefined, '', 'stub-1', 'svc-latest', 'jev-latest'])
  test(`the model ${JSON.stringify(model)} means the engine’s model`, async () => {
    const response = await post(service.url, { ...exampleRequest, model })
    assert.is((await readJson(response)).model, 'stub-1')
  })

test('/healthz needs no key', async () => {
  assert.equal(await (await fetch(`${service.url}/healthz`)).json(), { status: 'ok' })
  assert.is((await fetch(`${service.url}/healthz`, { method: 'HEAD' })).status, 200)
})

test('/metrics counts requests, questions and calls to the engine, and needs no key', async () => {
  const freshService = await startService(createStubEngine(), { keys: ['k'] })
  await post(freshService.url, exampleRequest)
  const metrics = await (await fetch(`${freshService.url}/metrics`)).text()
  await freshService.stop()
  assert.match(
    metrics,
    /svc_http_requests_total\{route="\/v1\/questions",method="POST",status="200"\} 1/,
  )
  assert.match(metrics, /svc_questions_total\{type="choice"\} 1/)
  assert.match(metrics, /svc_engine_duration_seconds_count\{engine="stub",outcome="answered"\} 1/)
})

test('/metrics has only the current delay of the event loop, because other statistics wake an idle service', async () => {
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.equal(metrics.match(/^nodejs_eventloop_\w+/gm), ['nodejs_eventloop_lag_seconds'])
})

test('answers 400 to a body that is not JSON, with line and column', async () => {
  for (const body of ['{"state":', '', 'x', '{"a":1}x', '\u0000']) {
    const response = await post(service.url, body)
    assert.is(response.status, 400, body)
    const { error_type, message } = await readDetail(response)
    assert.is(error_type, 'api_usage_error')
    assert.match(message, /^invalid request JSON: line 1, column \d+: /)
  }
})

test('answers 400 to a body that is not UTF-8', async () => {
  const response = await fetch(`${service.url}/v1/questions`, {
    method: 'POST',
    headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    body: Buffer.from('{"state":"\xff","questions":{}}', 'latin1'),
  })
  assert.is(response.status, 400)
  assert.match((await readDetail(response)).message, /invalid UTF-8/)
})

test('answers 400 to an unknown model', async () => {
  const response = await post(service.url, { ...exampleRequest, model: 'svc-9' })
  assert.is(response.status, 400)
  assert.equal(await readDetail(response), {
    error_type: 'api_usage_error',
    message: 'Unknown model: svc-9',
  })
})

test('answers 400 to an unsupported question type, and names the question', async () => {
  const questions = { a: { type: 'noul' }, b: { type: 'essay', length: 3 } }
  const response = await post(service.url, { state: 1, questions })
  assert.is(response.status, 400)
  const { message } = await readDetail(response)
  assert.match(message, /questions\.b: unsupported question type "essay"/)
})

test('answers 422 with every fault of a document', async () => {
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
  const faults = await readDetail(response)
  const paths = faults.map(({ loc }) => loc.join('.'))
  for (const path of [
    'body.state',
    'body.model',
    'body.questions.a.criteria',
    'body.questions.b.extra',
    'body.questions.c.criteria.maybe',
    'body.questions.d',
  ])
    assert.ok(paths.includes(path), `${path} in ${paths}`)
  for (const { msg, type } of faults) assert.ok(msg.length > 0 && type.length > 0)
})

test('lists at most 20 faults, and counts the others', async () => {
  const questions = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`q${i}`, 1]))
  const response = await post(service.url, { state: 1, questions })
  assert.is(response.status, 422)
  const faults = await readDetail(response)
  assert.is(faults.length, 21)
  assert.is(faults[20]?.msg, '980 more faults')
})

for (const authorization of [undefined, '', 'Bearer', 'Bearer nobody', 'Basic k', 'k'])
  test(`answers 401 to the Authorization header ${authorization ?? '(none)'}`, async () => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    for (const { method, path } of [
      { method: 'GET', path: '/v1/models' },
      { method: 'POST', path: '/v1/questions' },
    ] as const) {
      const response = await fetch(`${service.url}${path}`, { method, headers })
      assert.is(response.status, 401, path)
      assert.is(response.headers.get('www-authenticate'), 'Bearer')
      assert.is((await readDetail(response)).error_type, 'authentication_error')
    }
  })

test('accepts any configured key, and any case and spacing of Bearer', async () => {
  const response = await post(service.url, exampleRequest, {
    headers: { authorization: 'bearer   other' },
  })
  assert.is(response.status, 200)
})

for (const path of ['/', '/v1', '/v1/questions/', '/v1/question', '/V1/QUESTIONS', '/v1//models'])
  test(`answers 404 for the path ${path}`, async () => {
    const response = await fetch(`${service.url}${path}`)
    assert.is(response.status, 404)
    assert.equal(await readDetail(response), { error_type: 'not_found', message: 'Not Found' })
  })

for (const path of ['/v1/chat/completions', '/v1/completions', '/v1/responses', '/responses'])
  test(`answers 404 for ${path}, and names /v1/decisions in the form of OpenAI`, async () => {
    const body = { model: 'svc-latest', input: 'Hello', messages: [] }
    const response = await post(service.url, body, { path })
    assert.is(response.status, 404)
    assert.match(response.headers.get('x-request-id') ?? '', /^req_/)
    const { error } = (await response.json()) as { readonly error: { readonly message: string } }
    assert.match(error.message, /writes no text.* POST \/v1\/decisions$/)
  })

for (const { method, path, allowed } of [
  { method: 'GET', path: '/v1/questions', allowed: 'POST' },
  { method: 'PUT', path: '/v1/systemone', allowed: 'POST' },
  { method: 'POST', path: '/v1/models', allowed: 'GET, HEAD' },
  { method: 'DELETE', path: '/healthz', allowed: 'GET, HEAD' },
  { method: 'OPTIONS', path: '/metrics', allowed: 'GET, HEAD' },
] as const)
  test(`answers 405 to ${method} ${path}, and allows ${allowed}`, async () => {
    const response = await fetch(`${service.url}${path}`, { method })
    assert.is(response.status, 405)
    assert.is(response.headers.get('allow'), allowed)
    assert.is((await readDetail(response)).error_type, 'method_not_allowed')
  })

test('logs a line per request, without key, state and questions', async () => {
  const request = { ...exampleRequest, state: 'wholly-secret' }
  await post(service.url, request, { headers: { authorization: 'Bearer hidden-key' } })
  await post(service.url, request)
  const log = service.logLines.join('')
  assert.match(
    log,
    /msg=request request_id=req_\w+ method=POST route=\/v1\/questions status=200 duration_ms=[\d.]+ peer=127\.0\.0\.1 questions=3 model=stub-1/,
  )
  assert.match(log, /status=401 .*error=authentication_error/)
  // `billing` is the id of a question.
  assert.not.match(log, /hidden-key|wholly-secret|Bearer|billing/)
})

test('logs health checks and reads of the metrics at level debug, and other requests at level info', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json'])
    await fetch(`${service.url}${path}`)
  const levelsByPath = service.logLines
    .slice(-4)
    .map((line) => /level=(\w+) .*route=(\S+)/.exec(line)?.slice(1).join(' '))
  assert.equal(levelsByPath, [
    'debug /healthz',
    'debug /readyz',
    'debug /metrics',
    'info /openapi.json',
  ])
})

test.run()
