import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { closeAfterEach } from '../support/servers'
import { createStubEngine, exampleRequest, post, sendRaw, startService } from './run-service'

const test = suite('service: the Host header, and a service without keys')
closeAfterEach(test)

/** Returns the pattern of a raw response with this status. */
const statusLine = (status: number): RegExp => new RegExp(`^HTTP/1.1 ${status} `)

const hostHeaderCases: ReadonlyArray<{
  readonly title: string
  readonly request: string
  readonly status: number
}> = [
  { title: 'HTTP/1.1 without Host', request: 'GET /healthz HTTP/1.1\r\n', status: 400 },
  {
    title: 'two Host headers',
    request: 'GET /healthz HTTP/1.1\r\nHost: a\r\nhost: a\r\n',
    status: 400,
  },
  {
    // By default Node drops all headers after the first 2,000.
    title: 'two Host headers with 2,500 headers between them',
    request: `GET /healthz HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(2500)}Host: b\r\n`,
    status: 400,
  },
  {
    title: 'one Host header',
    request: 'GET /healthz HTTP/1.1\r\nHost: anything.example\r\n',
    status: 200,
  },
  { title: 'HTTP/1.0 without Host', request: 'GET /healthz HTTP/1.0\r\n', status: 200 },
]

for (const { title, request, status } of hostHeaderCases)
  test(`answers ${status} to ${title}`, async () => {
    const service = await startService(createStubEngine(), { keys: ['k'] })
    const response = await sendRaw(service.port, [`${request}Connection: close\r\n\r\n`])
    assert.match(response, statusLine(status))
  })

const localHosts = [
  'localhost',
  'LOCALHOST:1',
  'x.localhost',
  '127.0.0.1:8787',
  '127.9.9.9',
  '[::1]:80',
]
const otherHosts = [
  'evil.example',
  '127.0.0.1.evil.example',
  'localhost.evil',
  '10.0.0.1',
  '[::2]',
  '',
]

test('without keys, answers only requests whose Host is this machine', async () => {
  const keyless = await startService()
  const sendGet = (path: string, host: string): Promise<string> => {
    const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n`
    return sendRaw(keyless.port, [`${head}Connection: close\r\n\r\n`])
  }
  for (const path of ['/healthz', '/v1/models']) {
    for (const host of localHosts) assert.match(await sendGet(path, host), statusLine(200), host)
    for (const host of otherHosts) assert.match(await sendGet(path, host), statusLine(403), host)
  }
})

test('without keys, checks the host of a request target that is a URL', async () => {
  const keyless = await startService()
  for (const { target, status } of [
    { target: 'http://evil.example/healthz', status: 403 },
    { target: 'https://evil.example/healthz', status: 403 },
    { target: 'http://127.0.0.1/healthz?x', status: 200 },
  ] as const) {
    const head = `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`
    assert.match(await sendRaw(keyless.port, [head]), statusLine(status), target)
  }
})

test('without keys, accepts any token, or none', async () => {
  const keyless = await startService()
  const headers = { authorization: 'Bearer any' }
  const withToken = await post(keyless.url, exampleRequest, { headers })
  assert.is(withToken.status, 200)
  const withoutToken = await fetch(`${keyless.url}/v1/questions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(exampleRequest),
  })
  assert.is(withoutToken.status, 200)
  assert.is((await fetch(`${keyless.url}/v1/models`)).status, 200)
})

test.run()
