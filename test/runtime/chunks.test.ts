import { PassThrough } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { chunksOf } from '../../lib/runtime/chunks'

const test = suite('runtime/chunks')

/** The chunks of a stream, and the code of the error they end in. */
const read = async (stream: PassThrough): Promise<ReadonlyArray<string>> => {
  const seen: string[] = []
  try {
    for await (const chunk of chunksOf(stream)) seen.push(String(chunk))
  } catch (error) {
    seen.push(String((error as { readonly code?: string }).code))
  }
  return seen
}

const reset = Object.assign(new Error('aborted'), { code: 'ECONNRESET' })

test('chunks that are there and chunks that come', async () => {
  const stream = new PassThrough()
  stream.write('a')
  setImmediate(() => {
    stream.write('b')
    setImmediate(() => stream.end('c'))
  })
  assert.equal(await read(stream), ['a', 'b', 'c'])
})

test('nothing', async () => {
  assert.equal(await read(new PassThrough().end()), [])
  const stream = new PassThrough()
  setImmediate(() => stream.end())
  assert.equal(await read(stream), [])
})

test('an error, before the first look and after', async () => {
  const before = new PassThrough()
  const chunks = chunksOf(before)
  before.destroy(reset)
  await new Promise(setImmediate)
  const next = chunks[Symbol.asyncIterator]().next()
  assert.is(await next.catch((error: unknown) => error), reset)
  const after = new PassThrough()
  after.write('a')
  setImmediate(() => after.destroy(reset))
  assert.equal(await read(after), ['a', 'ECONNRESET'])
})

test('a stream that is let go of before its end is no whole one', async () => {
  const stream = new PassThrough()
  stream.write('a')
  setImmediate(() => stream.destroy())
  assert.equal(await read(stream), ['a', 'ERR_STREAM_PREMATURE_CLOSE'])
})

test('a reader that stops early lets go of the stream', async () => {
  const stream = new PassThrough()
  stream.write('a')
  for await (const chunk of chunksOf(stream)) {
    assert.is(String(chunk), 'a')
    break
  }
  assert.ok(stream.destroyed)
})

test.run()
