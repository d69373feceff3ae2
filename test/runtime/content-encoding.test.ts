import { PassThrough, Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decoded } from '../../lib/runtime/content-encoding'

const test = suite('runtime/content-encoding')

const whole = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
const codeOf = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => 'no error',
    (error: { readonly code?: string }) => error.code,
  )

test('bytes come one by one', async () => {
  const bytes = [...gzipSync('hello')].map((byte) => Buffer.from([byte]))
  assert.is(await whole(decoded(Readable.from(bytes), ' GZIP ')), 'hello')
})

test('without an encoding the body is as it comes', async () => {
  for (const encoding of [null, '', 'identity', ' , ']) {
    const body = Readable.from([Buffer.from('a'), Buffer.from('b')])
    assert.is(await whole(decoded(body, encoding)), 'ab', String(encoding))
  }
})

for (const encoding of ['gzip', 'deflate', 'br', 'zstd'])
  test(`${encoding}: a body that broke before it was read`, async () => {
    const reset = Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
    const body = new PassThrough()
    body.on('error', () => undefined)
    body.write('x')
    body.destroy(reset)
    assert.is(await codeOf(whole(decoded(body, encoding))), 'ECONNRESET')
    const later = new PassThrough()
    later.on('error', () => undefined)
    setImmediate(() => later.destroy(reset))
    assert.is(await codeOf(whole(decoded(later, encoding))), 'ECONNRESET')
  })

test('a reader that stops early lets go of the source', async () => {
  const body = new PassThrough()
  const closed = new Promise((done) => body.on('close', done))
  body.write(gzipSync('hello'))
  for await (const chunk of decoded(body, 'gzip')) {
    assert.is(String(chunk), 'hello')
    break
  }
  await closed
  assert.is(body.destroyed, true)
})

test.run()
