import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { undoEncodings } from '../../../lib/client/call/content-encoding'
import { startDeadline } from '../../../lib/client/call/deadline'
import { nodeClock } from '../../../lib/runtime/node/clock'
import { broken, invalid, outcome } from './real'
import { good, lengthOf, ok, response } from './servers'
import { settle } from './support'

const test = suite('client/encodings')

const encodings: ReadonlyArray<readonly [coding: string, body: Buffer, expected: string]> = [
  ['gzip', gzipSync(good), good],
  ['X-GZip', gzipSync(good), good],
  ['deflate', deflateSync(good), good],
  ['deflate', deflateRawSync(good), good],
  ['br', brotliCompressSync(good), good],
  ['identity', Buffer.from(good), good],
  ['gzip, br', brotliCompressSync(gzipSync(good)), good],
  ['gzip', gzipSync(good).subarray(0, -4), invalid('the body is not valid gzip')],
  ['br', brotliCompressSync(good).subarray(0, -3), invalid('the body is not valid br')],
  ['br, gzip', gzipSync(brotliCompressSync(good).subarray(2)), invalid('the body is not valid br')],
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

test('D50: five encodings are taken off, six are not', async () => {
  const times = (count: number): Buffer =>
    count === 0 ? Buffer.from(good) : gzipSync(times(count - 1))
  const sent = async (count: number): Promise<string> => {
    const headers = {
      'Content-Encoding': Array(count).fill('gzip').join(),
      ...lengthOf(times(count)),
    }
    return (await outcome((socket) => socket.end(response(ok, headers, times(count))))).result
  }
  assert.is(await sent(5), good)
  assert.is(await sent(6), invalid('more than 5 content encodings'))
})

test('D6: a step that gives more than 16 MiB is not taken, whatever the next would make of it', async () => {
  const body = gzipSync(gzipSync(Buffer.alloc(1 << 25), { level: 0 }))
  const headers = { 'Content-Encoding': 'gzip, gzip', ...lengthOf(body) }
  const { result } = await outcome((socket) => socket.end(response(ok, headers, body)))
  assert.is(result, invalid('response exceeds 16 MiB'))
})

/** Lets a decoder do that much of its work at most: it gives 16 KiB at a time. */
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await settle()
}

test('D50: decoding ends with the attempt, also in the middle of an encoding', async () => {
  const reply = {
    status: 200,
    header: () => 'gzip',
    body: (async function* () {})(),
    endsWithConnection: false,
  }
  const body = gzipSync(Buffer.alloc(16 << 20))
  const undo = (parent: AbortSignal) =>
    undoEncodings(body, reply, {
      ...{ url: 'http://h/', most: 1 << 20 },
      ending: startDeadline(nodeClock, parent, 0),
    })
  assert.match(String(await undo(AbortSignal.abort()).catch(String)), 'AbortError')

  const attempt = new AbortController()
  let ended: unknown
  const decoding = undo(attempt.signal).catch((error) => {
    ended = error
  })
  await turns(20)
  assert.is(ended, undefined)
  attempt.abort()
  await turns(2)
  assert.match(String(ended), 'AbortError')
  await decoding
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

test('D46: a gzip body that ends with the connection and too early is a cut connection', async () => {
  const body = gzipSync(good).subarray(0, -4)
  const { result } = await outcome((socket) =>
    socket.end(response(ok, { 'Content-Encoding': 'gzip' }, body)),
  )
  assert.is(result, broken('the response body is cut off'))
})

test.run()
