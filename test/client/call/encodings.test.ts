import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createLengthHeader, formatResponse, modelsBody } from './byte-server'
import { callByteServer, describeConnectionError, describeInvalidBody } from './network-client'

const test = suite('call/encodings')

/** Calls a server that sends a body with an encoding, and describes the result. */
const callWithEncoding = async (encoding: string, body: Buffer): Promise<string> => {
  const headers = { 'Content-Encoding': encoding, ...createLengthHeader(body) }
  const bytes = formatResponse('200 OK', headers, body)
  const { result } = await callByteServer((socket) => socket.end(bytes))
  return result
}

interface EncodingCase {
  readonly title: string
  readonly encoding: string
  readonly body: Buffer
  readonly expected: string
}

const gzipBody = gzipSync(modelsBody)
const brotliBody = brotliCompressSync(modelsBody)
const cases: ReadonlyArray<EncodingCase> = [
  { title: 'decodes gzip', encoding: 'gzip', body: gzipBody, expected: modelsBody },
  { title: 'decodes GZIP', encoding: 'GZIP', body: gzipBody, expected: modelsBody },
  { title: 'decodes Br', encoding: 'Br', body: brotliBody, expected: modelsBody },
  { title: 'decodes x-gzip', encoding: 'x-gzip', body: gzipBody, expected: modelsBody },
  {
    title: 'decodes deflate with a zlib header',
    encoding: 'deflate',
    body: deflateSync(modelsBody),
    expected: modelsBody,
  },
  {
    title: 'decodes deflate without a zlib header',
    encoding: 'deflate',
    body: deflateRawSync(modelsBody),
    expected: modelsBody,
  },
  { title: 'decodes br', encoding: 'br', body: brotliBody, expected: modelsBody },
  {
    title: 'accepts the encoding identity',
    encoding: 'identity',
    body: Buffer.from(modelsBody),
    expected: modelsBody,
  },
  {
    title: 'refuses a truncated br body',
    encoding: 'br',
    body: brotliBody.subarray(0, -3),
    expected: describeInvalidBody('the body is not valid br'),
  },
  {
    title: 'refuses a body that is not gzip',
    encoding: 'gzip',
    body: Buffer.from(modelsBody),
    expected: describeInvalidBody('the body is not valid gzip'),
  },
  {
    title: 'refuses a body that is not deflate',
    encoding: 'deflate',
    body: Buffer.from('hello'),
    expected: describeInvalidBody('the body is not valid deflate'),
  },
  {
    title: 'refuses a body that is not br',
    encoding: 'br',
    body: Buffer.from(modelsBody),
    expected: describeInvalidBody('the body is not valid br'),
  },
]
for (const { title, encoding, body, expected } of cases)
  test(title, async () => {
    assert.is(await callWithEncoding(encoding, body), expected)
  })

test('an encoding that node-fetch does not decode is an invalid response', async () => {
  // Results begin with the exit code, 6. The bytes are the magic number with which zstd begins.
  const zstd = Buffer.from('28b52ffd', 'hex')
  assert.match(await callWithEncoding('zstd', zstd), /^6 invalid_response: /)
  const twice = brotliCompressSync(gzipSync(modelsBody))
  assert.match(await callWithEncoding('gzip, br', twice), /^6 invalid_response: /)
})

test('the limit of 16 MiB applies to the decoded body', async () => {
  const result = await callWithEncoding('gzip', gzipSync(Buffer.alloc(32 << 20)))
  assert.is(result, describeInvalidBody('response exceeds 16 MiB'))
})

test('an empty body with an encoding is an invalid response', async () => {
  // 6 is the exit code.
  assert.match(await callWithEncoding('gzip', Buffer.alloc(0)), /^6 invalid_response: /)
})

test('a gzip body that is shorter than Content-Length is a connection error', async () => {
  const body = gzipSync(modelsBody)
  const headers = { 'Content-Encoding': 'gzip', 'Content-Length': body.length }
  const bytes = formatResponse('200 OK', headers, body.subarray(0, -4))
  const { result } = await callByteServer((socket) => socket.end(bytes))
  assert.is(result, describeConnectionError('connection closed before the body ended'))
})

test('a truncated gzip body without Content-Length is a connection error', async () => {
  const body = gzipSync(modelsBody).subarray(0, -12)
  const bytes = formatResponse('200 OK', { 'Content-Encoding': 'gzip' }, body)
  const { result } = await callByteServer((socket) => socket.end(bytes))
  assert.is(result, describeConnectionError('the response body is cut off'))
})

test.run()
