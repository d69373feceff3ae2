import { connect, type Socket } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRandom } from '../../lib/runtime/random'
import { createLexicalEngine } from '../../lib/service/engines/lexical/engine'
import { scale } from '../support/fast-check'
import { exampleRequest, post, type RunningService, readJson, startService } from './run-service'

const test = suite('service: malformed requests')
let service: RunningService

test.before(async () => {
  service = await startService(
    createLexicalEngine(),
    { keys: ['k'], readTimeoutMs: 1000, maxConcurrent: 64, maxWaiting: 1000 },
    { level: 'error' },
  )
})
test.after(() => service.stop())

/** The same requests on every run. */
const { unit: chance, below: upTo } = createRandom(1)
const pick = <A>(list: ReadonlyArray<A>): A => list[upTo(list.length)] as A

const valid = JSON.stringify(exampleRequest)
/** Never in a request of its own: an answer that holds it leaked another caller's. */
const marked = JSON.stringify({ ...exampleRequest, state: 'MARKED-STATE' })

const scramble = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  for (let i = upTo(8); i >= 0; i--) bytes[upTo(bytes.length)] = upTo(256)
  return chance() < 0.3 ? bytes.subarray(0, upTo(bytes.length)) : bytes
}

const createNested = (depth: number): string => `{"state":${'['.repeat(depth)}`
const odd = [
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

const createBody = (): Buffer => (chance() < 0.3 ? Buffer.from(pick(odd)) : scramble(valid))

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
const headerLines = [
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

const createHead = (length: number): string => {
  const method = chance() < 0.7 ? 'POST' : pick(methods)
  const target = chance() < 0.7 ? '/v1/questions' : pick(targets)
  const lines = Array.from({ length: upTo(4) }, () => pick(headerLines))
  const usual =
    chance() < 0.8
      ? [
          'Host: x',
          'Authorization: Bearer k',
          'Content-Type: application/json',
          `Content-Length: ${length}`,
        ]
      : chance() < 0.5
        ? ['Host: x']
        : []
  return `${method} ${target} HTTP/1.1\r\n${[...usual, ...lines].join('\r\n')}\r\n\r\n`
}

interface Exchange {
  readonly sent: Buffer
  /** The end of the connection: waits for the answer, closes its half, drops, or stops sending half way. */
  readonly manner: 'wait' | 'half' | 'drop' | 'stall'
}

const exchange = (): Exchange => {
  const body = createBody()
  const whole = Buffer.concat([Buffer.from(createHead(body.length), 'latin1'), body])
  const manner = chance() < 0.85 ? 'wait' : pick(['half', 'drop', 'stall'] as const)
  return { sent: manner === 'stall' ? whole.subarray(0, upTo(whole.length)) : whole, manner }
}

/** True if the answer is complete. One without a length ends with its connection. */
const isWhole = (received: string): boolean => {
  const answer = received.replace('HTTP/1.1 100 Continue\r\n\r\n', '')
  const [head = ''] = answer.split('\r\n\r\n', 1)
  const length = /^content-length: (\d+)/im.exec(head)?.[1] ?? Number.POSITIVE_INFINITY
  return answer.length >= head.length + 4 + Number(length)
}

const sendExchange = ({ sent, manner }: Exchange): Promise<string> =>
  new Promise((done) => {
    let received = ''
    const socket: Socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (isWhole(received)) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('end', () => socket.destroy())
    socket.on('close', () => done(received))
    socket.write(sent, () => {
      if (manner === 'half') socket.end()
      if (manner === 'drop') socket.destroy()
    })
  })

test('the service answers throughout, never with a 500, a stack or another caller’s data', async () => {
  // Enough that every status that is asked for below comes up.
  const count = 1000 * scale
  const lanes = 100
  const statuses = new Map<string, number>()
  let left = count
  const witness = async (): Promise<void> => {
    const response = await post(service.url, marked)
    assert.is(response.status, 200)
    assert.equal(
      Object.keys((await readJson(response)).answers),
      Object.keys(exampleRequest.questions),
    )
  }
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      if (left % 10 === 0) await witness()
      const answer = await sendExchange(exchange())
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 'none'
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      assert.not.match(answer, /MARKED-STATE|node:internal|\.ts:\d|\bat [A-Z]\w+\./)
      assert.not.match(answer, /HTTP\/1\.1 50[02]/)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  console.log(
    [...statuses]
      .sort()
      .map(([status, n]) => `${status}: ${n}`)
      .join(', '),
  )
  for (const status of ['200', '400', '401', '404', '405', '415', '422']) {
    assert.ok((statuses.get(status) ?? 0) > 0, `no ${status} among the answers`)
  }
  assert.is((await post(service.url, valid)).status, 200)
  assert.equal(service.lines, [])
})

test.run()
