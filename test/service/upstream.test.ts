import type { RequestListener } from 'node:http'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Secret } from '../../lib/failure/text/secret'
import { unsupportedType } from '../../lib/service/contract/problem'
import {
  resolveUpstream,
  type UpstreamChoice,
} from '../../lib/service/engines/upstream/destination'
import { closeAfterEach, httpServer } from '../support/servers'
import { until } from '../support/until'
import {
  createStubEngine,
  exampleRequest,
  openUpstream,
  post,
  type RunningService,
  readJson,
  startService,
  type UpstreamSettings,
} from './run-service'

const test = suite('service: the upstream engine')
closeAfterEach(test)

const startFront = async (url: string, changes: UpstreamSettings = {}): Promise<RunningService> =>
  startService(await openUpstream({ url, ...changes }))

const resolve = (
  choice: Partial<UpstreamChoice>,
  env = {},
  key: string | undefined = 'engine-key',
) => {
  const none = { 'engine-url': undefined, 'engine-provider': undefined }
  const rest = { 'engine-dialect': undefined, 'engine-model': undefined }
  const secret = key === '' ? undefined : new Secret(key)
  return resolveUpstream({ ...none, ...rest, ...choice, key: secret }, env)()
}

test('addresses: the dialect by path, a prefix kept', async () => {
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ['http://h:1', 'http://h:1/v1/questions', 'http://h:1/v1/models'],
    ['http://h:1/', 'http://h:1/v1/questions', 'http://h:1/v1/models'],
    ['https://h/api/v1/', 'https://h/api/v1/questions', 'https://h/api/v1/models'],
    ['https://h/v1/systemone', 'https://h/v1/systemone', 'https://h/v1/models'],
    ['https://h/a/v1/questions', 'https://h/a/v1/questions', 'https://h/a/v1/models'],
  ]
  for (const [url, ask, models] of cases) {
    const place = await resolve({ 'engine-url': url })
    assert.equal(
      E.isRight(place) && [place.right.ask.url, place.right.models.url],
      [ask, models],
      url,
    )
  }
  const refused = await resolve({ 'engine-url': 'ftp://user:pass@h' })
  assert.match(E.isLeft(refused) ? JSON.stringify(refused.left) : '', /invalid --engine-url/)
  assert.not.match(JSON.stringify(refused), /pass/)
})

test('passes request and answer on unchanged, with the engine’s key', async () => {
  const seen: { url: string; headers: NodeJS.Dict<string | string[]>; body: string }[] = []
  const answer = '{"model":"x","answers":{"a":{"type":"new","v":1.0}},"usage":null, "more":1e400}'
  const back = await httpServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      seen.push({ url: request.url ?? '', headers: request.headers, body })
      response.setHeader('x-typesafe-request-id', 'req_upstream')
      response.setHeader('set-cookie', 'a=b')
      response.setHeader('content-type', 'application/json').end(answer)
    })
  })
  const service = await startFront(`${back.url}/v1/systemone`)
  const sent =
    '{"state":1.0,"questions":{"a":{"type":"new","deep":[1e400]}},"extra":12345678901234567890}'
  const response = await post(service.url, sent)
  assert.is(response.status, 200)
  assert.is(await response.text(), answer)
  assert.is(response.headers.get('x-service-request-id'), 'req_upstream')
  assert.is(response.headers.get('set-cookie'), null)
  const [only] = seen
  assert.is(only?.url, '/v1/systemone')
  assert.is(only?.body, sent)
  assert.is(only?.headers.authorization, 'Bearer engine-key')
  assert.is(only?.headers['user-agent'], 'svc/test')
  assert.match(service.lines.join(''), /engine_request_id=req_upstream/)
})

test('the request id is the upstream’s if it sends one, else the service’s', async () => {
  const cases: ReadonlyArray<readonly [Record<string, string>, number, string, RegExp]> = [
    [{ 'x-service-request-id': 'req_1' }, 200, '{"request_id":"req_2"}', /^req_1$/],
    [{ 'x-typesafe-request-id': 'req_1' }, 422, '{"detail":"no"}', /^req_1$/],
    [{}, 200, '{"request_id":"req_2"}', /^req_2$/],
    [{}, 200, '{"request_id":"bad\\nid"}', /^req_[0-9a-z]{26}$/],
    [{ 'x-service-request-id': '' }, 200, '{}', /^req_[0-9a-z]{26}$/],
    [{}, 200, `{"request_id":"${'x'.repeat(100_000)}"}`, /^req_[0-9a-z]{26}$/],
    [{}, 500, 'broken', /^req_[0-9a-z]{26}$/],
  ]
  for (const [headers, status, body, id] of cases) {
    const back = await httpServer((_, response) => response.writeHead(status, headers).end(body))
    const service = await startFront(back.url)
    for (const path of ['/v1/questions', '/v1/systemone']) {
      const response = await post(service.url, exampleRequest, {}, path)
      assert.is(response.status, status)
      assert.match(response.headers.get('x-service-request-id') ?? '', id)
      if (path === '/v1/systemone')
        assert.match(response.headers.get('x-typesafe-request-id') ?? '', id)
    }
  }
})

test('the configured model replaces the latest, other models pass', async () => {
  const back = await startService()
  const service = await startFront(back.url, { model: 'own-0' })
  for (const model of [undefined, 'svc-latest', 'jev-latest', 'own-1']) {
    const { detail } = await readJson(await post(service.url, { ...exampleRequest, model }))
    assert.is(detail.message, `Unknown model: ${model === 'own-1' ? 'own-1' : 'own-0'}`)
  }
  const list = await fetch(`${service.url}/v1/models`, { headers: { authorization: 'Bearer k' } })
  assert.equal(
    (await readJson(list)).models.map(({ name }) => name),
    ['svc-latest', 'stub-1'],
  )
})

test('passes failures of the other service on with status, body and waits', async () => {
  const limited = await startService(createStubEngine(), {
    maxRequestsPerMinute: 1,
    keys: ['engine-key'],
  })
  const service = await startFront(limited.url)
  assert.is((await post(service.url, { ...exampleRequest, model: 'svc-9' })).status, 400)
  const second = await post(service.url, exampleRequest)
  assert.is(second.status, 429)
  assert.ok(Number(second.headers.get('retry-after-ms')) > 50_000)
  assert.is((await readJson(second)).detail.error_type, 'rate_limit_error')

  const back = await startService(createStubEngine(async () => unsupportedType('Not this one.')))
  const other = await startFront(back.url)
  const invalid = await post(other.url, { questions: {} })
  assert.is(invalid.status, 422)
  assert.is((await readJson(invalid)).detail.length, 2)
  assert.is((await post(other.url, exampleRequest)).status, 400)

  const html = await httpServer((_, response) => {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
  })
  const page = await startFront(html.url)
  const passed = await post(page.url, exampleRequest)
  assert.equal([passed.status, await passed.text()], [502, '<h1>Bad gateway</h1>'])
  assert.match(page.lines.join(''), /level=warning .*cause="it answered with status 502"/)
})

test('passes the status and waits of a failure on if its page is endless', async () => {
  const back = await httpServer((_, response) => {
    response.writeHead(429, { 'retry-after': '7' }).end('<p>later</p>'.repeat(1 << 20))
  })
  const service = await startFront(back.url)
  const response = await post(service.url, exampleRequest)
  assert.equal(
    [response.status, response.headers.get('retry-after'), await response.text()],
    [429, '7', ''],
  )
})

const key = 'sk-operator/1'
const echo = {
  plain: `Bad header: Authorization: Bearer ${key}`,
  escaped: '{"detail":"Bearer sk-operator\\/1"}',
}

test('removes a key that the other service repeats in a failure from answer and log', async () => {
  const headers = { 'x-service-request-id': `req ${key}`, 'retry-after': key, 'content-type': key }
  const cases: ReadonlyArray<readonly [status: number, body: string, passed: string]> = [
    [400, echo.plain, 'Bad header: Authorization: Bearer [redacted]'],
    [422, echo.escaped, '{"detail":"Bearer [redacted]"}'],
    [500, `\xff${key}\xfe`, '\xff[redacted]\xfe'],
  ]
  for (const [status, body, passed] of cases) {
    const back = await httpServer((_, response) =>
      response.writeHead(status, headers).end(Buffer.from(body, 'latin1')),
    )
    const service = await startFront(back.url, { key: key })
    const response = await post(service.url, exampleRequest)
    assert.is(response.status, status)
    assert.is(Buffer.from(await response.arrayBuffer()).toString('latin1'), passed)
    assert.is(response.headers.get('x-service-request-id'), 'req [redacted]')
    assert.not.match(JSON.stringify([...response.headers]), /operator/)
    assert.not.match(service.lines.join(''), /operator/)
  }
})

test('passes answers on unchanged, even if a label equals the key', async () => {
  const answer = Buffer.from('{"answers":{"a":{"label":"local","\\u00e9":"\u00e9"}}, "n":1.0}')
  const back = await httpServer((_, response) => response.end(answer))
  for (const apiKey of ['another-key', 'local']) {
    const service = await startFront(back.url, { key: apiKey })
    const sent = { ...exampleRequest, state: 'Is it a local problem?' }
    const response = await post(service.url, sent)
    assert.ok(answer.equals(Buffer.from(await response.arrayBuffer())), apiKey)
  }
})

test('502 engine_auth if the other service refuses the service’s key', async () => {
  for (const status of [401, 403]) {
    const back = await httpServer((_, response) =>
      response.writeHead(status, { 'www-authenticate': 'Bearer' }).end(echo.plain),
    )
    const service = await startFront(back.url, { key: key })
    const models = await fetch(`${service.url}/v1/models`, {
      headers: { authorization: 'Bearer k' },
    })
    for (const response of [await post(service.url, exampleRequest), models]) {
      assert.is(response.status, 502)
      assert.is(response.headers.get('www-authenticate'), null)
      assert.equal(await response.json(), {
        detail: {
          error_type: 'engine_auth',
          message: 'The upstream service refused the API key of this one (SERVICE_ENGINE_API_KEY).',
        },
      })
    }
    assert.match(
      service.lines.join(''),
      new RegExp(`level=warning.*was refused with status ${status}`),
    )
  }
})

test('502 with the cause and no address for an invalid answer, 504 for a slow one', async () => {
  const cases: ReadonlyArray<readonly [RequestListener, number, RegExp]> = [
    [(_, response) => void response.socket?.destroy(), 502, /failed: connection/],
    [(_, response) => void response.end('<html>'), 502, /no JSON document/],
    [(_, response) => void response.writeHead(302, { location: '/x' }).end(), 502, /status 302/],
    [(_, response) => void response.writeHead(999).end('{}'), 502, /status 999/],
    [() => undefined, 504, /did not answer in time/],
  ]
  for (const [listener, status, message] of cases) {
    const back = await httpServer(listener)
    const service = await startFront(back.url, status === 504 ? { timeout: 300_000_000n } : {})
    const response = await post(service.url, exampleRequest)
    assert.is(response.status, status)
    const { detail } = await readJson(response)
    assert.match(detail.message, message)
    assert.not.match(detail.message, /127\.0\.0\.1/)
  }
  const nobody = await startFront('http://127.0.0.1:1')
  const response = await post(nobody.url, exampleRequest)
  assert.is(response.status, 502)
  assert.is(
    (await readJson(response)).detail.message,
    'The upstream service failed: connection refused.',
  )
  assert.match(
    nobody.lines.join(''),
    /level=warning .*cause="connection refused \(127\.0\.0\.1:1\)"/,
  )
  assert.not.match(nobody.lines.join(''), /engine-key/)
})

test('if the other service is killed under load, each request ends, and answers come again', async () => {
  let back = await startService()
  const { port } = back
  const service = await startFront(back.url, {})
  const statuses: number[] = []
  let isBack = false
  const caller = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) {
      const response = await post(service.url, exampleRequest)
      statuses.push(response.status)
      await response.arrayBuffer()
      if (response.status !== 200) await until(() => isBack)
    }
  }
  const callers = Array.from({ length: 8 }, caller)
  await until(() => statuses.length >= 40)
  await back.stop()
  await until(() => statuses.includes(502))
  back = await startService(createStubEngine(), { port })
  isBack = true
  await Promise.all(callers)
  assert.is(statuses.length, 160)
  assert.is((await post(service.url, exampleRequest)).status, 200)
  assert.ok([...new Set(statuses)].every((status) => [200, 502, 504].includes(status)))
})

test.run()
