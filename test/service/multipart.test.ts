import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { closeAfterEach, readRequestBody, startHttpServer } from '../support/servers'
import { openUpstream, readJson, startService } from './run-service'

const test = suite('service: multipart/form-data')
closeAfterEach(test)

// The first bytes of an image decide its format. svc does not read the rest.
const png = Buffer.from('\x89PNG\r\n\x1a\n\r\n--b\xff', 'latin1')
const jpeg = Buffer.from('\xff\xd8\xff\xe0', 'latin1')

/** A request about two images, as the Python SDK of TypeSafe sends it. The texts contain the names of the images. */
const document = {
  state: { text: 'The parcel on arrival.', photo: '<image:1>' },
  model: 'm',
  questions: { intact: { type: 'noul', instructions: 'Is the box in <image:1> that of label?' } },
  assets: {
    '<image:1>': { type: 'image', part: 'asset-0' },
    label: { type: 'image', part: 'asset-1' },
  },
}

interface Part {
  readonly name: string
  readonly content: string | Uint8Array
  /** The header `Content-Disposition` in place of the one that the name gives. */
  readonly disposition?: string
}

const documentPart = (value: unknown): Part => ({
  name: 'request',
  content: typeof value === 'string' ? value : JSON.stringify(value),
})
const imageParts: ReadonlyArray<Part> = [
  { name: 'asset-0', content: png },
  { name: 'asset-1', content: jpeg },
]

/** The boundary is as long as those of the Python SDK. */
const boundary = '0123456789abcdef0123456789abcdef'

/** Writes a body like the Python SDK. */
const formatBody = (parts: ReadonlyArray<Part>, end = `--${boundary}--\r\n`): Buffer => {
  const pieces = parts.flatMap(({ name, content, disposition }) => [
    `--${boundary}\r\n`,
    `Content-Disposition: ${disposition ?? `form-data; name="${name}"; filename="${name}"`}\r\n`,
    'Content-Type: application/octet-stream\r\n\r\n',
    content,
    '\r\n',
  ])
  return Buffer.concat([...pieces, end].map((piece) => Buffer.from(piece)))
}

interface Sent {
  readonly path?: string
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

const postBody = (url: string, body: Uint8Array<ArrayBuffer>, sent: Sent = {}) =>
  fetch(`${url}${sent.path ?? '/v1/systemone'}`, {
    method: 'POST',
    headers: {
      'content-type': sent.contentType ?? `multipart/form-data; boundary=${boundary}`,
      ...sent.headers,
    },
    body,
  })

const postParts = (url: string, parts: ReadonlyArray<Part>, sent: Sent = {}) =>
  postBody(url, Buffer.from(formatBody(parts)), sent)

/** Starts a service with the engine `upstream`, and keeps the bodies that the upstream service receives. */
const startBeforeUpstream = async (maxBodyBytes = 2 << 20) => {
  const bodies: string[] = []
  const { url } = await startHttpServer(async (request, response) => {
    bodies.push(String(await readRequestBody(request)))
    const answers = { intact: { type: 'noul', noul: 0.9 } }
    response.end(JSON.stringify({ model: 'm', answers, usage: {} }))
  })
  const engine = await openUpstream({ url, dialect: 'systemone', timeout: 60_000_000_000n })
  const service = await startService(engine, { maxBodyBytes, answerTimeoutMs: 60_000 })
  return { url: service.url, bodies }
}

/** The request that a client without multipart would send. */
const joinedDocument = {
  ...document,
  assets: {
    '<image:1>': { type: 'image', format: 'png', data_base64: png.toString('base64') },
    label: { type: 'image', format: 'jpeg', data_base64: jpeg.toString('base64') },
  },
}

test('moves the images of the parts into the document, and changes nothing else', async () => {
  const { url, bodies } = await startBeforeUpstream()
  for (const path of ['/v1/systemone', '/v1/questions']) {
    const response = await postParts(url, [documentPart(document), ...imageParts], { path })
    assert.is(response.status, 200)
    assert.is(bodies.pop(), JSON.stringify(joinedDocument))
  }
})

test('takes an encoded body, a quoted boundary, and parts in any order', async () => {
  const { url, bodies } = await startBeforeUpstream()
  const parts = [...imageParts, documentPart(document)]
  const body = Buffer.from(gzipSync(formatBody(parts)))
  const response = await postBody(url, body, {
    contentType: `Multipart/Form-Data; charset=utf-8; boundary="${boundary}"`,
    headers: { 'content-encoding': 'gzip' },
  })
  assert.is(response.status, 200)
  assert.is(bodies.pop(), JSON.stringify(joinedDocument))
})

test('keeps numbers, repeated texts and images that are in the document already', async () => {
  const { url, bodies } = await startBeforeUpstream()
  const inline = '{"type":"image","format":"webp","data_base64":"UklG"}'
  const text = `{"state":1.50,"model":"m","questions":{"intact":{"type":"noul"}},"assets":{"a":${inline},"b":{"part":"asset-0","x":1e2,"data_base64":"ignored"}}}`
  const response = await postParts(url, [documentPart(text), { name: 'asset-0', content: jpeg }])
  assert.is(response.status, 200)
  const joined = `{"format":"jpeg","x":1e2,"data_base64":"${jpeg.toString('base64')}"}`
  assert.is(bodies.pop(), text.replace(/\{"part".*?\}/, joined))
})

test('takes a document without images', async () => {
  const { url, bodies } = await startBeforeUpstream()
  const text = '{"state":"x", "model":"m","questions":{"intact":{"type":"noul"}}}'
  // The upstream service refuses a document that is no object.
  for (const unchanged of [text, '[1]']) {
    assert.is((await postParts(url, [documentPart(unchanged)])).status, 200)
    assert.is(bodies.pop(), unchanged)
  }
})

const many = (count: number) => Array.from({ length: count }, (_, i) => `asset-${i}`)

interface Refusal {
  readonly title: string
  readonly parts: ReadonlyArray<Part>
  readonly status: number
  readonly message: RegExp
  readonly contentType?: string
}

const refusals: ReadonlyArray<Refusal> = [
  {
    title: 'a body without the part `request`',
    parts: imageParts,
    status: 422,
    message: /"loc":\["body","request"\],"msg":"is required","type":"missing"/,
  },
  {
    title: 'a document that is not JSON',
    parts: [documentPart('{"state":'), ...imageParts],
    status: 400,
    message: /invalid request JSON: line 1, column 10/,
  },
  {
    title: 'a document that is not UTF-8',
    parts: [{ name: 'request', content: Buffer.from('{"state":"\xff"}', 'latin1') }],
    status: 400,
    message: /invalid request JSON: .*invalid UTF-8 at byte 0xff/,
  },
  {
    title: 'an asset whose part is missing',
    parts: [documentPart(document), { name: 'asset-0', content: png }],
    status: 422,
    message: /"loc":\["body","assets","label","part"\],"msg":"names no part"/,
  },
  {
    title: 'an asset that names the document',
    parts: [documentPart({ ...document, assets: { a: { part: 'request' } } })],
    status: 422,
    message: /"loc":\["body","assets","a"\],"msg":"must be PNG, JPEG or WebP"/,
  },
  {
    title: 'a part that no asset names',
    parts: [documentPart(document), ...imageParts, { name: 'asset-2', content: png }],
    status: 422,
    message: /"loc":\["body","asset-2"\],"msg":"is a part that no asset names"/,
  },
  {
    title: 'a GIF and an empty part, and names both',
    parts: [
      documentPart(document),
      { name: 'asset-0', content: 'GIF89a' },
      { name: 'asset-1', content: '' },
    ],
    status: 422,
    message: /"<image:1>"\],"msg":"must be PNG, JPEG or WebP".*"label"\],"msg":"must be PNG/,
  },
  {
    title: 'two parts with the same name',
    parts: [documentPart(document), documentPart(document)],
    status: 400,
    message: /two parts of the body have the same name/,
  },
  {
    title: '21 images in parts',
    parts: [documentPart(document), ...many(21).map((name) => ({ name, content: png }))],
    status: 422,
    message: /"loc":\["body","assets"\],"msg":"takes at most 20 images"/,
  },
  {
    title: '21 images in one part',
    parts: [
      documentPart({
        ...document,
        assets: Object.fromEntries(many(21).map((name) => [name, { part: 'asset-0' }])),
      }),
      { name: 'asset-0', content: png },
    ],
    status: 422,
    message: /"msg":"takes at most 20 images, got 21"/,
  },
  {
    title: 'a part whose headers exceed 1 KiB',
    parts: [{ name: 'x'.repeat(1100), content: '' }],
    status: 400,
    message: /not valid multipart/,
  },
  {
    title: 'a Content-Type without a boundary',
    parts: [documentPart(document)],
    contentType: 'multipart/form-data',
    status: 400,
    message: /Content-Type needs a boundary of 1 to 70 characters/,
  },
  {
    title: 'a boundary of more than 70 characters',
    parts: [documentPart(document)],
    contentType: `multipart/form-data; boundary=${'b'.repeat(71)}`,
    status: 400,
    message: /Content-Type needs a boundary of 1 to 70 characters/,
  },
  {
    title: 'another boundary than that of the body',
    parts: [documentPart(document)],
    contentType: 'multipart/form-data; boundary=other',
    status: 400,
    message: /not valid multipart/,
  },
]

for (const { title, parts, contentType, status, message } of refusals)
  test(`refuses ${title} with ${status}, and sends nothing`, async () => {
    const { url, bodies } = await startBeforeUpstream()
    const sent = contentType === undefined ? {} : { contentType }
    const response = await postParts(url, parts, sent)
    assert.match(await response.text(), message)
    assert.is(response.status, status)
    assert.equal(bodies, [])
  })

test('refuses a body that is cut off', async () => {
  const { url } = await startBeforeUpstream()
  const body = formatBody([documentPart(document), ...imageParts])
  for (const length of [10, 60, 400, body.length - 4]) {
    const response = await postBody(url, Buffer.from(body.subarray(0, length)))
    assert.is(response.status, 400, `${length} bytes`)
    assert.match((await readJson(response)).detail.message, 'not valid multipart/form-data')
  }
})

test('takes images of 16 MiB together, and refuses more', async () => {
  const { url, bodies } = await startBeforeUpstream(32 << 20)
  const half = Buffer.concat([png, Buffer.alloc((8 << 20) - png.length)])
  const parts = [documentPart(document), { name: 'asset-0', content: half }]
  const accepted = await postParts(url, [...parts, { name: 'asset-1', content: half }])
  assert.is(accepted.status, 200)
  const { assets } = JSON.parse(bodies.pop() ?? '')
  assert.is(assets.label.data_base64, half.toString('base64'))
  const larger = Buffer.concat([half, Buffer.alloc(1)])
  const refused = await postParts(url, [...parts, { name: 'asset-1', content: larger }])
  assert.is(refused.status, 422)
  assert.match(await refused.text(), /"msg":"images exceed 16 MiB"/)
})

test('measures --max-body on the body, before images become base64', async () => {
  const { url } = await startBeforeUpstream(2000)
  const image = Buffer.concat([png, Buffer.alloc(1000)])
  const parts = [documentPart(document), { name: 'asset-0', content: image }]
  assert.is((await postParts(url, [...parts, { name: 'asset-1', content: jpeg }])).status, 200)
  const refused = await postParts(url, [...parts, { name: 'asset-1', content: image }])
  assert.is(refused.status, 413)
})

test('refuses images if the engine answers questions itself, as in a JSON document', async () => {
  const { url } = await startService()
  const questions = { intact: { type: 'noul' } }
  const response = await postParts(url, [
    documentPart({ ...document, model: 'svc-latest', questions }),
    ...imageParts,
  ])
  assert.is(response.status, 400)
  assert.match(await response.text(), /images are not supported by this engine/)
})

test('takes only JSON on /v1/decisions', async () => {
  const { url } = await startService()
  const path = '/v1/decisions'
  const response = await postParts(url, [documentPart(document)], { path })
  assert.is(response.status, 415)
  assert.match(await response.text(), /Content-Type must be application\/json"/)
})

test('names both types in the refusal of another one', async () => {
  const { url } = await startService()
  for (const contentType of ['text/plain', 'multipart/form-database', 'multipart/mixed']) {
    const response = await postParts(url, [documentPart(document)], { contentType })
    assert.is(response.status, 415)
    assert.match(await response.text(), /must be application\/json or multipart\/form-data"/)
  }
})

test.run()
