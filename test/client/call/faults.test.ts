import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createCertificate } from '../../support/certificate'
import {
  type ConnectionHandler,
  createLengthHeader,
  formatResponse,
  modelsBody,
  startByteServer,
} from './byte-server'
import {
  callByteServer,
  createNetworkClient,
  describeConnectionError,
  describeInvalidBody,
  describeModelsCall,
  withManualTimeout,
} from './network-client'

const test = suite('call/faults')

/** Formats a response with chunks. A chunk begins with its size in hexadecimal: `d` is 13 bytes. */
const formatChunked = (chunks: string): Buffer =>
  formatResponse('200 OK', { 'Transfer-Encoding': 'chunked' }, chunks)

const noResponse = describeConnectionError('connection closed before a response came')
const closedInBody = describeConnectionError('connection closed before the body ended')
const truncatedJson = describeConnectionError('the response body is cut off')
const invalidHttp = describeConnectionError('the response is not valid HTTP')

/**
 * Responses after which the server closes the connection. Each has the expected description of the call, as `describeModelsCall`
 * returns it: the body, or the exit code, kind and message of the failure.
 */
const responses: ReadonlyArray<readonly [title: string, bytes: Buffer | string, expected: string]> =
  [
    [
      'a body without Content-Length: accepted',
      formatResponse('200 OK', {}, modelsBody),
      modelsBody,
    ],
    ['closed in the headers: no response', 'HTTP/1.1 200 OK\r\nContent-Le', noResponse],
    [
      'Content-Length too short: invalid HTTP',
      formatResponse('200 OK', { 'Content-Length': 3 }, modelsBody),
      invalidHttp,
    ],
    [
      'JSON truncated in a body without a length: connection error',
      formatResponse('200 OK', {}, '{"models":['),
      truncatedJson,
    ],
    [
      'JSON truncated in a body of HTTP/1.0: connection error',
      'HTTP/1.0 200 OK\r\n\r\n{"models":[',
      truncatedJson,
    ],
    ['chunks: accepted', formatChunked('d\r\n{"models":[]}\r\n0\r\n\r\n'), modelsBody],
    [
      'chunks with a trailer: accepted',
      formatChunked('d\r\n{"models":[]}\r\n0\r\nX: y\r\n\r\n'),
      modelsBody,
    ],
    [
      'closed after a chunk: connection error',
      formatChunked('d\r\n{"models":[]}\r\n'),
      closedInBody,
    ],
    ['closed in a chunk: connection error', formatChunked('d\r\n{"mod'), closedInBody],
    [
      'garbage after the last chunk: invalid HTTP',
      formatChunked('d\r\n{"models":[]}\r\n0\r\n\r\nxx'),
      invalidHttp,
    ],
    [
      'headers of 20,000 bytes: too large',
      formatResponse('200 OK', { 'X-Long': 'x'.repeat(20_000) }, modelsBody),
      describeConnectionError('the response headers are too large'),
    ],
    ['status 100 only: no response', formatResponse('100 Continue', {}), noResponse],
    [
      'status 101: connection error',
      formatResponse('101 Switching Protocols', { Upgrade: 'x', Connection: 'upgrade' }),
      describeConnectionError('the server switched to another protocol'),
    ],
    [
      'an error response that is closed in its body: the error of its status',
      formatResponse('502 Bad Gateway', { 'Content-Length': 99 }, 'x'),
      // 6 is the exit code, and `server` the kind of the error.
      '6 server: typesafe: GET /v1/models returned 502',
    ],
  ]
for (const [title, bytes, expected] of responses)
  test(title, async () => {
    const { result, connections } = await callByteServer((socket) => socket.end(bytes))
    assert.is(result, expected)
    assert.is(connections, 1)
  })

/**
 * Describes a call to a server that sends bytes and then nothing. With complete headers, the timeout of the client expires when the
 * client has received them. With incomplete headers, it expires when the server has sent the bytes.
 */
const describeStalledCall = async (bytes: string | Buffer): Promise<string> => {
  // Replaced below, because the client is created after the server: the client needs the port.
  let expireTimeout = (): void => undefined
  const hasHeaders = String(bytes).includes('\r\n\r\n')
  const server = await startByteServer((socket) => {
    socket.write(bytes, () => {
      // With complete headers, the client itself expires the timeout, when it has received them.
      if (!hasHeaders) expireTimeout()
    })
  })
  const { client, expire } = withManualTimeout(
    createNetworkClient(`http://127.0.0.1:${server.port}`),
  )
  expireTimeout = expire
  const result = await describeModelsCall(client)
  await server.waitUntilDisconnected()
  await server.close()
  return result
}

test('the timeout ends a call whose headers or body stall', async () => {
  // 7 is the exit code, and `connection` the kind of the failure. 20 s is the timeout of `createNetworkClient`.
  const describeTimeout = (cause: string) =>
    `7 connection: typesafe: request timed out after 20s: ${cause} (HOST)`
  const noHeaders = describeTimeout('no response yet')
  assert.is(await describeStalledCall(''), noHeaders)
  assert.is(await describeStalledCall('HTTP/1.1 200 OK\r\nCon'), noHeaders)

  const incomplete = describeTimeout('the response body is not complete')
  const plain = formatResponse('200 OK', { 'Content-Length': 99 }, modelsBody)
  assert.is(await describeStalledCall(plain), incomplete)
  const gzipHeaders = { 'Content-Encoding': 'gzip', 'Content-Length': 99 }
  const compressed = formatResponse('200 OK', gzipHeaders, gzipSync(modelsBody))
  assert.is(await describeStalledCall(compressed), incomplete)
})

const maxBodyBytes = 16 << 20
const tooLarge = describeInvalidBody('response exceeds 16 MiB')

const sendPaddedBody =
  (size: number): ConnectionHandler =>
  (socket) =>
    socket.end(formatResponse('200 OK', { 'Content-Length': size }, modelsBody.padEnd(size)))

test('accepts a body of 16 MiB, and refuses one with a byte more', async () => {
  const accepted = await callByteServer(sendPaddedBody(maxBodyBytes))
  assert.is(accepted.result.length, maxBodyBytes)
  const refused = await callByteServer(sendPaddedBody(maxBodyBytes + 1))
  assert.is(refused.result, tooLarge)
})

test('stops reading an endless body', async () => {
  const spaces = Buffer.alloc(1 << 16, ' ')
  const { result } = await callByteServer((socket) => {
    const writeUntilFull = (): void => {
      while (socket.writable && socket.write(spaces)) {}
    }
    socket.write(formatResponse('200 OK', {}))
    socket.on('drain', writeUntilFull)
    writeUntilFull()
  })
  assert.is(result, tooLarge)
})

test('refuses a small gzip body that decompresses to more than 16 MiB', async () => {
  const body = gzipSync(Buffer.alloc(maxBodyBytes + 1, ' '))
  const headers = { 'Content-Encoding': 'gzip', ...createLengthHeader(body) }
  const bytes = formatResponse('200 OK', headers, body)
  const { result } = await callByteServer((socket) => socket.end(bytes))
  assert.is(result, tooLarge)
})

test('retries after a lost connection', async () => {
  const incomplete = formatResponse('200 OK', { 'Content-Length': 99 }, modelsBody)
  const complete = formatResponse('200 OK', createLengthHeader(modelsBody), modelsBody)
  const { result, connections } = await callByteServer(
    (socket, connectionNumber) => socket.end(connectionNumber < 3 ? incomplete : complete),
    { maxRetries: 2 },
  )
  assert.is(result, modelsBody)
  assert.is(connections, 3)
})

test('sends nothing to a server with a self-signed certificate', async () => {
  const server = await startByteServer((socket) => socket.end(), createCertificate())
  assert.is(
    await describeModelsCall(createNetworkClient(`https://localhost:${server.port}`)),
    describeConnectionError('the certificate is self-signed; NODE_EXTRA_CA_CERTS can add a CA'),
  )
  assert.is(server.received(), '')
  await server.close()
})

test('reports a failed handshake for a server without TLS at an https address', async () => {
  const server = await startByteServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  assert.match(
    await describeModelsCall(createNetworkClient(`https://127.0.0.1:${server.port}`)),
    // 7 is the exit code.
    /^7 connection: typesafe: connection error: TLS handshake failed/,
  )
  await server.close()
})

test.run()
