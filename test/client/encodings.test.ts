import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { broken, invalid, outcome } from './real'
import { good, lengthOf, ok, response } from './servers'

const test = suite('client/encodings')

const encodings: ReadonlyArray<readonly [coding: string, body: Buffer, expected: string]> = [
  ['gzip', gzipSync(good), good],
  ['X-GZip', gzipSync(good), good],
  ['deflate', deflateSync(good), good],
  ['deflate', deflateRawSync(good), good],
  ['br', brotliCompressSync(good), good],
  ['identity', Buffer.from(good), good],
  ['gzip, br', brotliCompressSync(gzipSync(good)), good],
  ['gzip', gzipSync(good).subarray(0, -9), broken('the response body is cut off')],
  ['br', brotliCompressSync(good).subarray(0, -3), broken('the response body is cut off')],
  ['gzip', Buffer.from(good), invalid('the body is not valid gzip')],
  ['deflate', Buffer.from('hello'), invalid('the body is not valid deflate')],
  ['br', Buffer.from(good), invalid('the body is not valid br')],
  ['zstd', Buffer.from(good), invalid('the content encoding "zstd" is not known')],
]
for (const [coding, body, expected] of encodings)
  test(`content encoding ${coding}: ${expected}`, async () => {
    const headers = { 'Content-Encoding': coding, ...lengthOf(body) }
    const { result } = await outcome((socket) => socket.end(response(ok, headers, body)))
    assert.is(result, expected)
  })

test('an empty encoded body is an empty body', async () => {
  const headers = { 'Content-Encoding': 'gzip', 'Content-Length': 0 }
  const { result } = await outcome((socket) => socket.end(response(ok, headers)))
  assert.match(result, /^6 invalid_response: /)
})

test('a gzip body cut by the network is a cut connection', async () => {
  const body = gzipSync(good)
  const headers = { 'Content-Encoding': 'gzip', 'Content-Length': body.length }
  const { result } = await outcome((socket) =>
    socket.end(response(ok, headers, body.subarray(0, -4))),
  )
  assert.is(result, broken('connection closed before the body ended'))
})

test.run()
