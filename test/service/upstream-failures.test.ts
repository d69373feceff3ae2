import type { RequestListener } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { unsupportedType } from '../../lib/service/contract/problem'
import { closeAfterEach, startHttpServer } from '../support/servers'
import { until } from '../support/until'
import {
  createStubEngine,
  exampleRequest,
  post,
  readJson,
  startService,
  startWithUpstream,
} from './run-service'

const test = suite('service: failures of an upstream service')
closeAfterEach(test)

test('forwards a 429 of the upstream service with its wait', async () => {
  const upstream = await startService(createStubEngine(), {
    maxRequestsPerMinute: 1,
    keys: ['engine-key'],
  })
  const service = await startWithUpstream({ url: upstream.url })
  await post(service.url, exampleRequest)
  const response = await post(service.url, exampleRequest)
  assert.is(response.status, 429)
  // At one request per minute, the next one is allowed after almost a minute.
  assert.ok(Number(response.headers.get('retry-after-ms')) > 50_000)
  assert.is((await readJson(response)).detail.error_type, 'rate_limit_error')
})

test('forwards a 400 and a 422 of the upstream service', async () => {
  const upstream = await startService(
    createStubEngine(async () => unsupportedType('Not this one.')),
  )
  const service = await startWithUpstream({ url: upstream.url })
  const invalidResponse = await post(service.url, { questions: {} })
  assert.is(invalidResponse.status, 422)
  assert.equal(
    (await readJson(invalidResponse)).detail.map(({ loc }) => loc),
    [
      ['body', 'state'],
      ['body', 'questions'],
    ],
  )
  assert.is((await post(service.url, exampleRequest)).status, 400)
})

test('forwards the page of a gateway with its status, and logs the status', async () => {
  const upstream = await startHttpServer((_, response) => {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
  })
  const service = await startWithUpstream({ url: upstream.url })
  const response = await post(service.url, exampleRequest)
  assert.is(response.status, 502)
  assert.is(await response.text(), '<h1>Bad gateway</h1>')
  assert.match(service.logLines.join(''), /level=warning .*cause="it answered with status 502"/)
})

test('forwards status and Retry-After, but no body, of a failure with more than 64 KiB', async () => {
  const upstream = await startHttpServer((_, response) => {
    response.writeHead(429, { 'retry-after': '7' }).end('x'.repeat(65 << 10))
  })
  const service = await startWithUpstream({ url: upstream.url })
  const response = await post(service.url, exampleRequest)
  assert.is(response.status, 429)
  assert.is(response.headers.get('retry-after'), '7')
  assert.is(await response.text(), '')
})

/** The key for the upstream service. */
const engineKey = 'sk-operator/1'

const failuresWithKey: ReadonlyArray<{
  readonly title: string
  readonly status: number
  readonly body: string
  /** The body that the service forwards. */
  readonly forwarded: string
}> = [
  {
    title: 'in plain text',
    status: 400,
    body: `Authorization: Bearer ${engineKey}`,
    forwarded: 'Authorization: Bearer [redacted]',
  },
  {
    title: 'with a JSON escape',
    status: 422,
    body: '{"detail":"Bearer sk-operator\\/1"}',
    forwarded: '{"detail":"Bearer [redacted]"}',
  },
  {
    title: 'between bytes that are not UTF-8',
    status: 500,
    body: `\xff${engineKey}\xfe`,
    forwarded: '\xff[redacted]\xfe',
  },
]

for (const { title, status, body, forwarded } of failuresWithKey)
  test(`redacts its key in a failure of the upstream service: ${title}`, async () => {
    const headers = {
      'x-service-request-id': `req ${engineKey}`,
      'retry-after': engineKey,
      'content-type': engineKey,
    }
    const upstream = await startHttpServer((_, response) =>
      response.writeHead(status, headers).end(Buffer.from(body, 'latin1')),
    )
    const service = await startWithUpstream({ url: upstream.url, key: engineKey })
    const response = await post(service.url, exampleRequest)
    assert.is(response.status, status)
    assert.is(Buffer.from(await response.arrayBuffer()).toString('latin1'), forwarded)
    assert.is(response.headers.get('x-service-request-id'), 'req [redacted]')
    assert.not.match(JSON.stringify([...response.headers]), /operator/)
    assert.not.match(service.logLines.join(''), /operator/)
  })

for (const status of [401, 403])
  test(`answers 502 engine_auth if the upstream service refuses the key with ${status}`, async () => {
    const upstream = await startHttpServer((_, response) =>
      response
        .writeHead(status, { 'www-authenticate': 'Bearer' })
        .end(`Authorization: Bearer ${engineKey}`),
    )
    const service = await startWithUpstream({ url: upstream.url, key: engineKey })
    const askResponse = await post(service.url, exampleRequest)
    const listResponse = await fetch(`${service.url}/v1/models`, {
      headers: { authorization: 'Bearer k' },
    })
    for (const response of [askResponse, listResponse]) {
      assert.is(response.status, 502)
      assert.is(response.headers.get('www-authenticate'), null)
      assert.equal((await readJson(response)).detail, {
        error_type: 'engine_auth',
        message: 'The upstream service refused the API key of this one (SERVICE_ENGINE_API_KEY).',
      })
    }
    const warning = new RegExp(`level=warning.*was refused with status ${status}`)
    assert.match(service.logLines.join(''), warning)
  })

const nsPerMs = 1_000_000n

const brokenUpstreams: ReadonlyArray<{
  readonly title: string
  readonly listener: RequestListener
  /** In nanoseconds. */
  readonly timeout?: bigint
  readonly status: number
  readonly message: RegExp
}> = [
  {
    title: 'a closed connection',
    listener: (_, response) => void response.socket?.destroy(),
    status: 502,
    message: /failed: connection/,
  },
  {
    title: 'an answer that is not JSON',
    listener: (_, response) => void response.end('<html>'),
    status: 502,
    message: /no JSON/,
  },
  {
    title: 'an answer with more than 100,000 objects',
    listener: (_, response) => response.end(`{"answers":[{}${',{}'.repeat(100_000)}]}`),
    status: 502,
    message: /no JSON document: .* at most 100000 objects and arrays/,
  },
  {
    title: 'a redirect',
    listener: (_, response) => void response.writeHead(302, { location: '/x' }).end(),
    status: 502,
    message: /status 302/,
  },
  {
    title: 'an unknown status',
    listener: (_, response) => void response.writeHead(999).end('{}'),
    status: 502,
    message: /status 999/,
  },
  {
    title: 'no answer in time',
    listener: () => undefined,
    timeout: 300n * nsPerMs,
    status: 504,
    message: /did not answer in time/,
  },
]

for (const { title, listener, status, message, ...settings } of brokenUpstreams)
  test(`answers ${status}, and hides the upstream’s address: ${title}`, async () => {
    const upstream = await startHttpServer(listener)
    const service = await startWithUpstream({ url: upstream.url, ...settings })
    const response = await post(service.url, exampleRequest)
    assert.is(response.status, status)
    const { detail } = await readJson(response)
    assert.match(detail.message, message)
    assert.not.match(detail.message, /127\.0\.0\.1/)
  })

test('answers 502 if the upstream service is down, and names its address only in the log', async () => {
  // No program listens on port 1.
  const service = await startWithUpstream({ url: 'http://127.0.0.1:1' })
  const response = await post(service.url, exampleRequest)
  assert.is(response.status, 502)
  const { detail } = await readJson(response)
  assert.is(detail.message, 'The upstream service failed: connection refused.')
  const log = service.logLines.join('')
  assert.match(log, /level=warning .*cause="connection refused \(127\.0\.0\.1:1\)"/)
  assert.not.match(log, /engine-key/)
})

test('ends every request if the upstream service stops under load, and answers again after its restart', async () => {
  const upstream = await startService()
  const service = await startWithUpstream({ url: upstream.url })
  const statuses: number[] = []
  let isRestarted = false
  const askRepeatedly = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) {
      const response = await post(service.url, exampleRequest)
      statuses.push(response.status)
      await response.arrayBuffer()
      if (response.status !== 200) await until(() => isRestarted)
    }
  }
  const callers = Array.from({ length: 8 }, askRepeatedly)
  await until(() => statuses.length >= 40)
  await upstream.stop()
  await until(() => statuses.includes(502))
  await startService(createStubEngine(), { port: upstream.port })
  isRestarted = true
  await Promise.all(callers)
  // 8 callers ask 20 times each.
  assert.is(statuses.length, 160)
  assert.ok(statuses.every((status) => [200, 502, 504].includes(status)))
  assert.is((await post(service.url, exampleRequest)).status, 200)
})

test.run()
