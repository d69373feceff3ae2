import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  type InputType,
} from 'node:zlib'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { codeOf } from '../../lib/runtime/node/error-reason'
import { decodeBody } from '../../lib/service/http/decode-body'
import { decodeZstdByPackage } from '../../lib/service/http/decode-zstd'
import { createStubEngine, type RunningService, readJson, startService } from './run-service'

const test = suite('service: Content-Encoding of requests')
let service: RunningService

test.before(async () => {
  service = await startService(createStubEngine(), { keys: ['k'], maxBodyBytes: 64 << 10 })
})
test.after(() => service.stop())

const document =
  '{"state":"Hello","questions":{"q":{"type":"noul","instructions":"Is it a greeting?"}}}\n'

const decodeBase64 = (text: string): Buffer<ArrayBuffer> => Buffer.from(text, 'base64')

/** The document as `zstd` wrote it from a file, so that the frame names the size of its content. */
const zstdDocument = decodeBase64(
  'KLUv/SRXXQIAwgQQFqClOuSDFtn8cggijd47C1c+Tv3AxQpBa82C0TyiMlfueUu4WOqr6eGzkJoYAYEnM+JVlF9cycPoHBxMjC9fswIAjUoGWOUJIBb51g==',
)

/** The document as `zstd` wrote it from a pipe. The frame does not name the size. */
const streamedZstdDocument = decodeBase64(
  'KLUv/QRYZQIAAsUQF5CnLQa0qqU0+3WkycfsW0yeNU//YgsHw1prgEncu8KMMhaHCh6kYjVx8kkot49Q2JVNrGxNhKuXiMnonAts35bVVQEAaTIFBSAW+dY=',
)

/** 3,000,000 zero bytes, from a file and from a pipe. */
const zstdBomb = decodeBase64(
  'KLUv/YRYwMYtAFQAABAAAAEA+/85wAICABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAADNg4AA8mv1g==',
)
const streamedZstdBomb = decodeBase64(
  'KLUv/QRYVAAAEAAAAQD7/znAAgIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAM2DgADya/W',
)

const postEncoded = (encoding: string, body: Buffer<ArrayBuffer>, path = '/v1/questions') =>
  fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer k',
      'content-type': 'application/json',
      'content-encoding': encoding,
    },
    body,
  })

const encoders: Readonly<Record<string, (text: InputType) => Buffer<ArrayBuffer>>> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
}

for (const [encoding, encode] of Object.entries(encoders)) {
  test(`decodes ${encoding}, in any letter case`, async () => {
    for (const name of [encoding, encoding.toUpperCase(), ` ${encoding} `]) {
      const response = await postEncoded(name, encode(document))
      assert.is(response.status, 200, name)
      assert.equal((await readJson(response)).answers, { q: { type: 'noul', noul: 1 } })
    }
  })

  test(`answers 413 to ${encoding} whose decoded body exceeds --max-body`, async () => {
    const response = await postEncoded(encoding, encode(Buffer.alloc(3_000_000)))
    assert.is(response.status, 413)
    assert.match((await readJson(response)).detail.message, '65536 bytes (--max-body)')
  })

  test(`answers 400 to invalid ${encoding}`, async () => {
    for (const body of [Buffer.from(document), encode(document).subarray(0, -5), Buffer.alloc(0)]) {
      const response = await postEncoded(encoding, body)
      assert.is(response.status, 400)
      assert.match((await readJson(response)).detail.message, `the body is not valid ${encoding}`)
    }
  })
}

test('decodes deflate without a zlib header', async () => {
  assert.is((await postEncoded('deflate', deflateRawSync(document))).status, 200)
})

test('decodes zstd on every route', async () => {
  for (const body of [zstdDocument, streamedZstdDocument])
    for (const path of ['/v1/questions', '/v1/systemone'])
      assert.is((await postEncoded('ZSTD', body, path)).status, 200)
})

test('answers 413 to zstd whose decoded body exceeds --max-body, and 400 to invalid zstd', async () => {
  assert.is((await postEncoded('zstd', zstdBomb)).status, 413)
  assert.is((await postEncoded('zstd', streamedZstdBomb)).status, 413)
  assert.is((await postEncoded('zstd', Buffer.from(document))).status, 400)
  assert.is((await postEncoded('zstd', zstdDocument.subarray(0, -5))).status, 400)
})

/** Returns the code of the error with which the package refuses a body. */
const findErrorCode = async (body: Buffer): Promise<unknown> => {
  try {
    await decodeZstdByPackage(body, 1000)
  } catch (error) {
    return codeOf(error)
  }
  assert.unreachable('the body was accepted')
  return undefined
}

test('the package decodes zstd like Node', async () => {
  for (const body of [zstdDocument, streamedZstdDocument])
    assert.is(Buffer.from(await decodeZstdByPackage(body, 1000)).toString(), document)
  for (const body of [zstdBomb, streamedZstdBomb])
    assert.is(await findErrorCode(body), 'ERR_BUFFER_TOO_LARGE')
  for (const body of [Buffer.from(document), zstdDocument.subarray(0, -5), Buffer.alloc(0)])
    assert.is(await findErrorCode(body), undefined)
})

test('an encoding that is not known does not decode', async () => {
  assert.ok(E.isLeft(await decodeBody(Buffer.from(document), 'lzma', 1000)))
})

test('a refusal of an encoding names the known ones', async () => {
  const response = await postEncoded('compress', Buffer.from(document))
  assert.is(response.status, 415)
  assert.is(response.headers.get('accept-encoding'), 'gzip, deflate, br, zstd')
  assert.match((await readJson(response)).detail.message, 'one of gzip, deflate, br, zstd')
})

test.run()
