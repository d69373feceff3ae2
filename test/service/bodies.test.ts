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

const test = suite('service: bodies and raw bytes of requests')
let service: RunningService

test.before(async () => {
  service = await startService(createStubEngine(), { keys: ['k'] })
})
test.after(() => service.stop())

/** Returns the pattern of a raw response with this status. */
const statusLine = (status: number): RegExp => new RegExp(`^HTTP/1.1 ${status} `)

const refusedMedia: ReadonlyArray<Record<string, string>> = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-encoding': 'lzma' },
  { 'content-encoding': 'gzip, br' },
]

for (const headers of refusedMedia)
  test(`answers 415 to ${JSON.stringify(headers)}`, async () => {
    const response = await post(service.url, exampleRequest, { headers })
    assert.is(response.status, 415)
    assert.is((await readJson(response)).detail.error_type, 'unsupported_media_type')
  })

for (const contentType of [
  'application/json;charset="UTF-8"',
  'Application/JSON',
  'application/ld+json',
])
  test(`accepts the content type ${contentType}`, async () => {
    const response = await post(service.url, exampleRequest, {
      headers: { 'content-type': contentType },
    })
    assert.is(response.status, 200)
  })

const exampleBody = JSON.stringify(exampleRequest)

/** The first lines of a request with an accepted key. */
const authorizedHead = 'POST /v1/questions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n'

test('accepts a body without a content type', async () => {
  const head = `${authorizedHead}Connection: close\r\nContent-Length: ${exampleBody.length}\r\n\r\n`
  assert.match(await sendRaw(service.port, [head, exampleBody]), statusLine(200))
})

/** The default of --max-body: 2 MiB. */
const maxBodyBytes = 2 << 20
const tooLargeResponse = /^HTTP\/1\.1 413 [\s\S]*request exceeds 2097152 bytes \(--max-body\)/

test('answers 413 to a Content-Length over --max-body, before the body', async () => {
  const head = `${authorizedHead}Content-Length: ${maxBodyBytes + 1}\r\n\r\n`
  assert.match(await sendRaw(service.port, [head]), tooLargeResponse)
})

test('answers 413 to a chunked body as soon as it exceeds --max-body', async () => {
  const head = `${authorizedHead}Transfer-Encoding: chunked\r\n\r\n`
  const maxSizeBody = Buffer.alloc(maxBodyBytes, ' ')
  // Each chunk has its length in hexadecimal before it.
  const firstChunk = [`${maxBodyBytes.toString(16)}\r\n`, maxSizeBody, '\r\n']
  const secondChunk = ['1\r\n', ' ', '\r\n']
  assert.match(await sendRaw(service.port, [head, ...firstChunk, ...secondChunk]), tooLargeResponse)
})

test('accepts a body of exactly --max-body', async () => {
  const start = '{"questions":{"a":{"type":"noul"}},"state":"'
  const end = '"}'
  const body = start + 'x'.repeat(maxBodyBytes - start.length - end.length) + end
  assert.is((await post(service.url, body)).status, 200)
})

test('answers Expect: 100-continue before the body', async () => {
  const head = `${authorizedHead}Connection: close\r\nExpect: 100-continue\r\nContent-Length: ${exampleBody.length}\r\n\r\n`
  // Awaited after the head, and again after the body.
  const waitForContinue = (readReceived: () => string) =>
    until(() => readReceived().includes('100 Continue'))
  const response = await sendRaw(service.port, [head, exampleBody], { pause: waitForContinue })
  assert.match(response, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
})

for (const request of ['NONSENSE\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n'])
  test(`answers 400 to the invalid HTTP ${JSON.stringify(request)}`, async () => {
    assert.match(
      await sendRaw(service.port, [request], { endsAfterSending: true }),
      statusLine(400),
    )
  })

test('answers 431 to more than 16 KiB of headers', async () => {
  const request = `GET /healthz HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`
  assert.match(await sendRaw(service.port, [request], { endsAfterSending: true }), statusLine(431))
})

test('answers 400 with a request id to a target that is not a path', async () => {
  const request = 'GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  const response = await sendRaw(service.port, [request])
  assert.match(response, /^HTTP\/1\.1 400 [\s\S]*x-service-request-id: req_[\s\S]*api_usage_error/)
})

for (const { status, headers } of [
  { status: 401, headers: 'Content-Length: 9' },
  { status: 413, headers: 'Authorization: Bearer k\r\nContent-Length: 9999999' },
  {
    status: 415,
    headers: 'Authorization: Bearer k\r\nContent-Type: text/plain\r\nContent-Length: 9',
  },
] as const)
  test(`closes the connection after a ${status}, because the body has not been read`, async () => {
    const head = `POST /v1/questions HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n`
    const response = await sendRaw(service.port, [head])
    assert.match(response, statusLine(status))
    // The braces show that the whole JSON body arrived.
    assert.match(response, /connection: close[\s\S]*\{.*\}$/i)
  })

test.run()
