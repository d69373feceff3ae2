import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeCertificate } from '../../support/certificate'
import { broken, invalid, outcome, outcomeOf, realEnv, withManualTimeout } from './real'
import { good, type Handle, lengthOf, ok, response, serve } from './servers'

const test = suite('client/faults')

const timedOut = (cause: string) =>
  `7 connection: typesafe: request timed out after 20s: ${cause} (HOST)`

const chunked = (body: string): Buffer => response(ok, { 'Transfer-Encoding': 'chunked' }, body)
const raw = (text: string): Buffer => Buffer.from(text)
const silent = broken('connection closed before a response came')
const cut = broken('connection closed before the body ended')
const cutOff = broken('the response body is cut off')
const noHttp = broken('the response is not valid HTTP')

/** Each server answers with bytes and closes its end. */
const answers: ReadonlyArray<readonly [name: string, bytes: Buffer, expected: string | RegExp]> = [
  ['no content length', response(ok, {}, good), good],
  ['closed in the headers', raw('HTTP/1.1 200 OK\r\nContent-Le'), silent],
  ['Content-Length too short', response(ok, { 'Content-Length': 3 }, good), noHttp],
  ['truncated without a length', response(ok, {}, '{"models":['), cutOff],
  ['truncated HTTP/1.0', raw('HTTP/1.0 200 OK\r\n\r\n{"models":['), cutOff],
  ['chunked', chunked('d\r\n{"models":[]}\r\n0\r\n\r\n'), good],
  ['chunked with a trailer', chunked('d\r\n{"models":[]}\r\n0\r\nX: y\r\n\r\n'), good],
  ['chunked, cut after a chunk', chunked('d\r\n{"models":[]}\r\n'), cut],
  ['chunked, cut in a chunk', chunked('d\r\n{"mod'), cut],
  ['chunked, then garbage', chunked('d\r\n{"models":[]}\r\n0\r\n\r\nxx'), noHttp],
  [
    'headers without end',
    response(ok, { 'X-Long': 'x'.repeat(20_000) }, good),
    broken('the response headers are too large'),
  ],
  ['100 and no more', response('100 Continue', {}), silent],
  [
    '101',
    response('101 Switching Protocols', { Upgrade: 'x', Connection: 'upgrade' }),
    broken('the server switched to another protocol'),
  ],
  [
    'a failure whose body is cut off',
    response('502 Bad Gateway', { 'Content-Length': 99 }, 'x'),
    '6 server: typesafe: GET /v1/models returned 502',
  ],
]
for (const [name, bytes, expected] of answers)
  test(name, async () => {
    const { result, connections } = await outcome((socket) => socket.end(bytes))
    if (typeof expected === 'string') assert.is(result, expected)
    else assert.match(result, expected)
    assert.is(connections, 1)
  })

/** What a call comes to whose server writes `bytes` and then nothing more. */
const stalledAfter = async (bytes: string | Buffer): Promise<string> => {
  let expire = (): void => undefined
  const answered = String(bytes).includes('\r\n\r\n')
  const server = await serve((socket) => {
    socket.write(bytes, () => {
      if (!answered) expire()
    })
  })
  const manual = withManualTimeout(realEnv(`http://127.0.0.1:${server.port}`))
  expire = manual.expire
  const result = await outcomeOf(manual.env)
  await server.quiet()
  await server.close()
  return result
}

test('stalled headers and a stalled body end at the timeout', async () => {
  assert.is(await stalledAfter(''), timedOut('no response yet'))
  assert.is(await stalledAfter('HTTP/1.1 200 OK\r\nCon'), timedOut('no response yet'))
  const incomplete = timedOut('the response body is not complete')
  assert.is(await stalledAfter(response(ok, { 'Content-Length': 99 }, good)), incomplete)
  const encoded = { 'Content-Encoding': 'gzip', 'Content-Length': 99 }
  assert.is(await stalledAfter(response(ok, encoded, gzipSync(good))), incomplete)
})

/** Writes for as long as the other end takes it. */
const pour = (socket: Parameters<Handle>[0], bytes: Buffer): void => {
  const write = (): void => {
    while (socket.writable && socket.write(bytes)) {}
  }
  socket.on('drain', write)
  write()
}

test('16 MiB pass; one byte more, and a body without end, do not', async () => {
  const most = 16 << 20
  const sized =
    (size: number): Handle =>
    (socket) =>
      socket.end(response(ok, { 'Content-Length': size }, good.padEnd(size)))
  assert.is((await outcome(sized(most))).result.length, most)
  const exceeded = invalid('response exceeds 16 MiB')
  assert.is((await outcome(sized(most + 1))).result, exceeded)
  const endless = await outcome((socket) => {
    socket.write(response(ok, {}))
    pour(socket, Buffer.alloc(1 << 16, ' '))
  })
  assert.is(endless.result, exceeded)
  const bomb = gzipSync(Buffer.alloc(most + 1, ' '))
  const headers = { 'Content-Encoding': 'gzip', ...lengthOf(bomb) }
  const expanded = await outcome((socket) => socket.end(response(ok, headers, bomb)))
  assert.is(expanded.result, exceeded)
})

test('a cut connection is tried again', async () => {
  const { result, connections } = await outcome(
    (socket, connection) =>
      connection < 3
        ? socket.end(response(ok, { 'Content-Length': 99 }, good))
        : socket.end(response(ok, lengthOf(good), good)),
    { maxRetries: 2 },
  )
  assert.is(result, good)
  assert.is(connections, 3)
})

const certificate = makeCertificate()
test('a certificate that nobody vouches for', async () => {
  const server = await serve((socket) => socket.end(), certificate)
  const env = realEnv(`https://localhost:${server.port}`)
  assert.is(
    await outcomeOf(env),
    broken('the certificate is self-signed; NODE_EXTRA_CA_CERTS can add a CA'),
  )
  assert.is(server.received(), '')
  await server.close()
})

test('no TLS where it is expected', async () => {
  const server = await serve((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  const env = realEnv(`https://127.0.0.1:${server.port}`)
  assert.match(
    await outcomeOf(env),
    /^7 connection: typesafe: connection error: TLS handshake failed/,
  )
  await server.close()
})

test.run()
