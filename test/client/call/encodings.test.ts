import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { contentLength, formatResponse, modelsBody } from './byte-server'
import { callByteServer, describeConnectionError, describeInvalidBody } from './network-client'

const test = suite('client/encodings')

/** Calls a server that sends a body with an encoding, and describes the result. */
const callWithEncoding = async (encoding: string, body: Buffer): Promise<string> => {
  const headers = { 'Content-Encoding': encoding, ...contentLength(body) }
  const bytes = formatResponse('200 OK', headers, body)
  const { result } = await callByteServer((socket) => socket.end(bytes))
  return result
}

const cases: ReadonlyArray<readonly [encoding: string, body: Buffer, expected: string]> = [
  ['gzip', gzipSync(modelsBody), modelsBody],
  ['x-gzip', gzipSync(modelsBody), modelsBody],
  ['deflate', deflateSync(modelsBody), modelsBody],
  ['deflate', deflateRawSync(modelsBody), modelsBody],
  ['br', brotliCompressSync(modelsBody), modelsBody],
  ['identity', Buffer.from(modelsBody), modelsBody],
  [
    'br',
    brotliCompressSync(modelsBody).subarray(0, -3),
    describeInvalidBody('the body is not valid br'),
  ],
  ['gzip', Buffer.from(modelsBody), describeInvalidBody('the body is not valid gzip')],
  ['deflate', Buffer.from('hello'), describeInvalidBody('the body is not valid deflate')],
  ['br', Buffer.from(modelsBody), describeInvalidBody('the body is not valid br')],
]
for (const [encoding, body, expected] of cases)
  test(`content encoding ${encoding}: ${expected}`, async () => {
    assert.is(await callWithEncoding(encoding, body), expected)
  })

test('an encoding that node-fetch does not decode is an invalid response', async () => {
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
