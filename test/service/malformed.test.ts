import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeFiles } from '../../lib/runtime/node/files'
import { createRandom } from '../../lib/runtime/random'
import { createEmbeddedEngine } from '../../lib/service/engines/embedded/open-embedded'
import { inputFactor } from '../support/fast-check'
import { exampleRequest, post, type RunningService, readJson, startService } from './run-service'

const test = suite('service: malformed requests')
let service: RunningService

test.before(async () => {
  service = await startService(createEmbeddedEngine(nodeFiles), {
    keys: ['k'],
    readTimeoutMs: 1000,
    maxConcurrent: 64,
    maxWaiting: 1000,
    level: 'error',
  })
})
test.after(() => service.stop())

// With a fixed seed, every run draws the same random numbers.
const { nextFloat, nextInt } = createRandom(1)
/** Picks a random element. */
const pick = <A>(list: ReadonlyArray<A>): A => list[nextInt(list.length)] as A

const validBody = JSON.stringify(exampleRequest)

/** Creates the beginning of a document whose state has this number of nested arrays. */
const createNested = (depth: number): string => `{"state":${'['.repeat(depth)}`

/** Bodies that are invalid, or valid in an unusual way. `noul` is the type of yes/no questions. */
const unusualBodies = [
  '',
  'null',
  '[]',
  '"',
  '{}',
  '{"state":1,"questions":{"":{"type":"noul"}}}',
  '{"state":1,"questions":{"__proto__":{"type":"__proto__"}}}',
  '{"state":1,"questions":{"a":{"type":"score","criteria":{"length":3}}}}',
  '{"state":1e99999,"questions":[1]}',
  '{"state":"\\ud800","questions":{"a":{"type":"choice","criteria":{"\\ud800":null}}}}',
  '{"model":{"toString":1},"state":1,"questions":{"a":{"type":"noul"}}}',
  createNested(5000),
  `${createNested(100_000)}${']'.repeat(100_000)},"questions":{"a":{"type":"noul"}}}`,
]

/** Replaces 1 to 8 bytes by random ones. Cuts the text in 30 % of the cases. */
const corrupt = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const replacements = 1 + nextInt(8)
  for (let i = 0; i < replacements; i += 1) bytes[nextInt(bytes.length)] = nextInt(256)
  return nextFloat() < 0.3 ? bytes.subarray(0, nextInt(bytes.length)) : bytes
}

/** Creates an unusual body in 30 % of the cases, otherwise a corrupted example. */
const createBody = (): Buffer =>
  nextFloat() < 0.3 ? Buffer.from(pick(unusualBodies)) : corrupt(validBody)

const methods = ['POST', 'GET', 'PUT', 'TRACE', 'BREW', 'PO ST', 'post', '']
const targets = [
  '/v1/questions',
  '/v1/systemone',
  '/v1/models',
  '/%00',
  '*',
  '//',
  'http://x/',
  '/\\',
]
const unusualHeaders = [
  'Authorization: Bearer k',
  'Authorization: Bearer k\r\nAuthorization: Bearer x',
  'Authorization: Bearer \xff\xfe',
  'Authorization:',
  'Host: a b c',
  'Host: [::1',
  'Host: x\r\nHost: y',
  'Content-Type: application/json',
  'Content-Type: ;;;=',
  'Content-Encoding: br',
  'Content-Encoding: lzma',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Expect: 100-continue',
  'Expect: nonsense',
  'Connection: upgrade\r\nUpgrade: websocket',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'traceparent: 00-zz',
  'X: \u0001',
  ': empty',
  'no colon',
]

/** Creates headers. 80 % of the requests have all that they need, 10 % only Host, 10 % nothing. Adds up to 3 unusual headers. */
const createHeaders = (contentLength: number): ReadonlyArray<string> => {
  const headers: string[] = []
  const draw = nextFloat()
  if (draw < 0.9) headers.push('Host: x')
  if (draw < 0.8) {
    headers.push('Authorization: Bearer k', 'Content-Type: application/json')
    headers.push(`Content-Length: ${contentLength}`)
  }
  const unusualCount = nextInt(4)
  for (let i = 0; i < unusualCount; i += 1) headers.push(pick(unusualHeaders))
  return headers
}

/** Creates a request. 70 % ask for POST, and 70 % for /v1/questions. The others have any method or target. */
const createRawRequest = (): Buffer => {
  const body = createBody()
  const method = nextFloat() < 0.7 ? 'POST' : pick(methods)
  const target = nextFloat() < 0.7 ? '/v1/questions' : pick(targets)
  const lines = [`${method} ${target} HTTP/1.1`, ...createHeaders(body.length)]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

/** The client waits for the response, closes its half of the connection, disconnects, or stops in the middle of the request. */
type ClientBehavior = 'wait' | 'close half' | 'disconnect' | 'stall'

const pickBehavior = (): ClientBehavior =>
  nextFloat() < 0.85 ? 'wait' : pick(['close half', 'disconnect', 'stall'] as const)

/** Returns true if the response has all bytes of its Content-Length. Without this header it ends with the connection. */
const isCompleteResponse = (received: string): boolean => {
  const response = received.replace('HTTP/1.1 100 Continue\r\n\r\n', '')
  const [head = ''] = response.split('\r\n\r\n', 1)
  const contentLength = /^content-length: (\d+)/im.exec(head)?.[1]
  if (contentLength === undefined) return false
  return response.length >= head.length + '\r\n\r\n'.length + Number(contentLength)
}

/** Sends a request, or only a part of it if the client stalls. Returns all that the client receives until the connection ends. */
const sendRequest = (request: Buffer, behavior: ClientBehavior): Promise<string> =>
  new Promise((resolve) => {
    let received = ''
    const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (isCompleteResponse(received)) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('end', () => socket.destroy())
    socket.on('close', () => resolve(received))
    const sent = behavior === 'stall' ? request.subarray(0, nextInt(request.length)) : request
    socket.write(sent, () => {
      if (behavior === 'close half') socket.end()
      if (behavior === 'disconnect') socket.destroy()
    })
  })

/** A state that only the valid requests have. A response to a malformed request must not contain it. */
const secretState = 'MARKED-STATE'

/** Asserts that the service answers a valid request. */
const expectValidAnswer = async (): Promise<void> => {
  const response = await post(service.url, { ...exampleRequest, state: secretState })
  assert.is(response.status, 200)
  const { answers } = await readJson(response)
  assert.equal(Object.keys(answers), Object.keys(exampleRequest.questions))
}

test('malformed requests never get a 500, a stack trace or data of other requests, and valid requests get answers', async () => {
  let remaining = 1000 * inputFactor
  const concurrentClients = 100
  const statuses = new Set<string>()
  const runClient = async (): Promise<void> => {
    while (remaining > 0) {
      remaining -= 1
      // Every tenth malformed request follows a valid one.
      if (remaining % 10 === 0) await expectValidAnswer()
      const response = await sendRequest(createRawRequest(), pickBehavior())
      const [, status = 'none'] = /^HTTP\/1\.1 (\d{3})/.exec(response) ?? []
      statuses.add(status)
      // Parts of stack traces.
      assert.not.match(response, /node:internal|\.ts:\d|\bat [A-Z]\w+\./)
      assert.not.match(response, secretState)
      assert.not.match(response, /HTTP\/1\.1 50[02]/)
    }
  }
  await Promise.all(Array.from({ length: concurrentClients }, runClient))
  // The requests reach every check of the service.
  for (const status of ['200', '400', '401', '404', '405', '415', '422'])
    assert.ok(statuses.has(status), `no response has the status ${status}`)
  assert.equal(service.logLines, [], 'the log has no error')
})

test.run()
