import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { broken, invalid, outcome } from './real'
import { good, lengthOf, ok, response } from './servers'

const test = suite('client/encodings')

const encodings: ReadonlyArray<readonly [coding: string, body: Buffer, expected: string]> = [
  ['gzip', gzipSync(good), good],
  ['x-gzip', gzipSync(good), good],
  ['deflate', deflateSync(good), good],
  ['deflate', deflateRawSync(good), good],
  ['br', brotliCompressSync(good), good],
  ['identity', Buffer.from(good), good],
  ['br', brotliCompressSync(good).subarray(0, -3), invalid('the body is not valid br')],
  ['gzip', Buffer.from(good), invalid('the body is not valid gzip')],
  ['deflate', Buffer.from('hello'), invalid('the body is not valid deflate')],
  ['br', Buffer.from(good), invalid('the body is not valid br')],
]
for (const [coding, body, expected] of encodings)
  test(`content encoding ${coding}: ${expected}`, async () => {
    const headers = { 'Content-Encoding': coding, ...lengthOf(body) }
    const { result } = await outcome((socket) => socket.end(response(ok, headers, body)))
    assert.is(result, expected)
  })

test('an encoding that node-fetch does not decode is an invalid response', async () => {
  for (const [coding, body] of [
    ['zstd', Buffer.from('28b52ffd', 'hex')],
    ['gzip, br', brotliCompressSync(gzipSync(good))],
  ] as const) {
    const headers = { 'Content-Encoding': coding, ...lengthOf(body) }
    const { result } = await outcome((socket) => socket.end(response(ok, headers, body)))
    assert.match(result, /^6 invalid_response: /, coding)
  }
})

test('the limit of 16 MiB is one of decoded bytes', async () => {
  const body = gzipSync(Buffer.alloc(1 << 25))
  const headers = { 'Content-Encoding': 'gzip', ...lengthOf(body) }
  const { result } = await outcome((socket) => socket.end(response(ok, headers, body)))
  assert.is(result, invalid('response exceeds 16 MiB'))
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

test('a gzip body that ends with the connection and too early is a cut connection', async () => {
  const body = gzipSync(good).subarray(0, -12)
  const { result } = await outcome((socket) =>
    socket.end(response(ok, { 'Content-Encoding': 'gzip' }, body)),
  )
  assert.is(result, broken('the response body is cut off'))
})

test.run()
