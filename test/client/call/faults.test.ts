import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createCertificate } from '../../support/certificate'
import {
  type ConnectionHandler,
  contentLength,
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

const test = suite('client/faults')

/** Formats a response with chunks. A chunk begins with its size in hexadecimal: `d` is 13 bytes. */
const formatChunked = (chunks: string): Buffer =>
  formatResponse('200 OK', { 'Transfer-Encoding': 'chunked' }, chunks)

const noResponse = describeConnectionError('connection closed before a response came')
const closedInBody = describeConnectionError('connection closed before the body ended')
const truncatedJson = describeConnectionError('the response body is cut off')
const invalidHttp = describeConnectionError('the response is not valid HTTP')

/** The server sends the bytes and closes the connection. */
const responses: ReadonlyArray<readonly [title: string, bytes: Buffer | string, expected: string]> =
  [
    ['no content length', formatResponse('200 OK', {}, modelsBody), modelsBody],
    ['closed in the headers', 'HTTP/1.1 200 OK\r\nContent-Le', noResponse],
    [
      'Content-Length too short',
      formatResponse('200 OK', { 'Content-Length': 3 }, modelsBody),
      invalidHttp,
    ],
    ['truncated without a length', formatResponse('200 OK', {}, '{"models":['), truncatedJson],
    ['truncated HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\n{"models":[', truncatedJson],
    ['chunked', formatChunked('d\r\n{"models":[]}\r\n0\r\n\r\n'), modelsBody],
    [
      'chunked with a trailer',
      formatChunked('d\r\n{"models":[]}\r\n0\r\nX: y\r\n\r\n'),
      modelsBody,
    ],
    ['chunked, closed after a chunk', formatChunked('d\r\n{"models":[]}\r\n'), closedInBody],
    ['chunked, closed in a chunk', formatChunked('d\r\n{"mod'), closedInBody],
    ['chunked, then garbage', formatChunked('d\r\n{"models":[]}\r\n0\r\n\r\nxx'), invalidHttp],
    [
      'headers of 20,000 bytes',
      formatResponse('200 OK', { 'X-Long': 'x'.repeat(20_000) }, modelsBody),
      describeConnectionError('the response headers are too large'),
    ],
    ['status 100 only', formatResponse('100 Continue', {}), noResponse],
    [
      'status 101',
      formatResponse('101 Switching Protocols', { Upgrade: 'x', Connection: 'upgrade' }),
      describeConnectionError('the server switched to another protocol'),
    ],
    [
      'an error response, closed in its body',
      formatResponse('502 Bad Gateway', { 'Content-Length': 99 }, 'x'),
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
 * Describes a call to a server that sends bytes and then nothing. The client's timeout expires when the headers are received,
 * or when the bytes are sent if they end before.
 */
const callStallingServer = async (bytes: string | Buffer): Promise<string> => {
  let expireTimeout = (): void => undefined
  const hasHeaders = String(bytes).includes('\r\n\r\n')
  const server = await startByteServer((socket) => {
    socket.write(bytes, () => {
      // With headers, the timeout expires when the client has received them.
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
  const describeTimeout = (cause: string) =>
    `7 connection: typesafe: request timed out after 20s: ${cause} (HOST)`
  const noHeaders = describeTimeout('no response yet')
  assert.is(await callStallingServer(''), noHeaders)
  assert.is(await callStallingServer('HTTP/1.1 200 OK\r\nCon'), noHeaders)

  const incomplete = describeTimeout('the response body is not complete')
  const plain = formatResponse('200 OK', { 'Content-Length': 99 }, modelsBody)
  assert.is(await callStallingServer(plain), incomplete)
  const gzipHeaders = { 'Content-Encoding': 'gzip', 'Content-Length': 99 }
  const compressed = formatResponse('200 OK', gzipHeaders, gzipSync(modelsBody))
  assert.is(await callStallingServer(compressed), incomplete)
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
  const blanks = Buffer.alloc(1 << 16, ' ')
  const { result } = await callByteServer((socket) => {
    const writeUntilFull = (): void => {
      while (socket.writable && socket.write(blanks)) {}
    }
    socket.write(formatResponse('200 OK', {}))
    socket.on('drain', writeUntilFull)
    writeUntilFull()
  })
  assert.is(result, tooLarge)
})

test('refuses a small gzip body that decompresses to more than 16 MiB', async () => {
  const body = gzipSync(Buffer.alloc(maxBodyBytes + 1, ' '))
  const headers = { 'Content-Encoding': 'gzip', ...contentLength(body) }
  const bytes = formatResponse('200 OK', headers, body)
  const { result } = await callByteServer((socket) => socket.end(bytes))
  assert.is(result, tooLarge)
})

test('retries after a lost connection', async () => {
  const incomplete = formatResponse('200 OK', { 'Content-Length': 99 }, modelsBody)
  const complete = formatResponse('200 OK', contentLength(modelsBody), modelsBody)
  const { result, connections } = await callByteServer(
    (socket, connection) => socket.end(connection < 3 ? incomplete : complete),
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
    /^7 connection: typesafe: connection error: TLS handshake failed/,
  )
  await server.close()
})

test.run()
