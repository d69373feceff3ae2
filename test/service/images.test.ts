import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeFiles } from '../../lib/runtime/node/files'
import { createEmbeddedEngine } from '../../lib/service/engines/embedded/open-embedded'
import { closeAfterEach, readRequestBody, startHttpServer } from '../support/servers'
import { openUpstream, post, startService, type UpstreamSettings } from './run-service'

const test = suite('service: images')
closeAfterEach(test)

// Files with the signatures of PNG and WebP, in base64. svc does not read the rest of an image.
const png = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1').toString('base64')
const webp = Buffer.from('RIFF1234WEBPrest').toString('base64')
const instructions = 'Is the box in photo intact?'
const noul = { type: 'noul', instructions }
const predicate = { type: 'predicate', name: 'intact', instructions }
const state = { text: 'The parcel on arrival.', photo: 'photo' }

/** Creates a request to /v1/questions or /v1/systemone, with one image. `data` is the image in base64. */
const createRequest = (data = png, format = 'png') => ({
  model: 'svc-latest',
  state,
  questions: { intact: noul },
  assets: { photo: { type: 'image', format, data_base64: data } },
})

/** The requests that services with other forms of images get. */
const otherForms = [
  { provider: 'llama.cpp', sent: { images: [`data:image/png;base64,${png}`] } },
  { provider: 'ollama', sent: { images: [png] } },
  {
    provider: 'perplexity',
    sent: {
      state: [
        state,
        'photo',
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      ],
    },
  },
] as const

for (const { provider, sent } of otherForms)
  test(`sends images to ${provider} in its form`, async () => {
    const { assets, ...request } = { ...createRequest(), model: 'm' }
    const received = await translate({ provider }, '/v1/systemone', { ...request, assets })
    assert.equal(received, { ...request, ...sent })
  })

/** Creates the part for an image in OpenAI's form. */
const createImagePart = (data: string, format: string) => ({
  type: 'input_image',
  image_url: `data:image/${format};base64,${data}`,
})

/** Creates a request to /v1/decisions, with a text and these images. */
const createDecisionsRequest = (...images: ReadonlyArray<object>) => ({
  model: 'svc-latest',
  input: [{ role: 'user', content: [{ type: 'input_text', text: 'photo' }, ...images] }],
  questions: [predicate],
})
const decisionsRequest = createDecisionsRequest(createImagePart(png, 'png'))

interface ReceivedRequest {
  readonly imagesHeader: unknown
  readonly body: string
}

/** Starts an upstream service that answers each request with a noul or a predicate, and keeps the requests. */
const startUpstream = async (answersDecisions: boolean) => {
  const received: ReceivedRequest[] = []
  const answers = answersDecisions
    ? [{ type: 'predicate', name: 'intact', probability: 0.9 }]
    : { intact: { type: 'noul', noul: 0.9 } }
  const { url } = await startHttpServer(async (request, response) => {
    const imagesHeader = request.headers['typesafe-danger-zone-images']
    received.push({ imagesHeader, body: String(await readRequestBody(request)) })
    response.end(JSON.stringify({ model: 'm', answers, usage: {} }))
  })
  return { url, received }
}

/** Starts a service with the engine `upstream` in front of the service that `startUpstream` starts. */
const startBeforeUpstream = async (
  settings: UpstreamSettings,
  serviceOptions: { readonly maxBodyBytes?: number; readonly answerTimeoutMs?: number } = {},
) => {
  const answersDecisions = settings.dialect === 'decisions' || settings.provider === 'openai'
  const { url, received } = await startUpstream(answersDecisions)
  const engine = await openUpstream({ url, ...settings })
  const service = await startService(engine, serviceOptions)
  return { url: service.url, logLines: service.logLines, received }
}

/** Posts a request to a service with these settings. Returns the document that its upstream service received. */
const translate = async (
  settings: UpstreamSettings,
  path: string,
  request: object,
): Promise<unknown> => {
  const { url, received } = await startBeforeUpstream(settings)
  const response = await post(url, request, { path })
  assert.is(response.status, 200)
  return JSON.parse(received[0]?.body ?? '')
}

/** The members of `createRequest()` besides its model, which the engine replaces. */
const requestWithoutModel = {
  state,
  questions: { intact: noul },
  assets: createRequest().assets,
}

/** The translations of `createRequest()`. */
const questionsCases: ReadonlyArray<{
  readonly upstream: string
  readonly settings: UpstreamSettings
  readonly expected: unknown
}> = [
  {
    upstream: 'the dialect questions',
    settings: { dialect: 'questions' },
    expected: createRequest(),
  },
  {
    upstream: 'the dialect systemone',
    settings: { dialect: 'systemone' },
    expected: createRequest(),
  },
  {
    upstream: 'TypeSafe',
    settings: { provider: 'typesafe' },
    expected: { model: 'jev-latest', ...requestWithoutModel },
  },
  {
    upstream: 'OpenAI',
    settings: { provider: 'openai' },
    expected: {
      model: 'gpt-6-luna',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: JSON.stringify(state) },
            { type: 'input_text', text: 'photo' },
            createImagePart(png, 'png'),
          ],
        },
      ],
      questions: [predicate],
    },
  },
  {
    upstream: 'Gemini',
    settings: { provider: 'gemini' },
    expected: {
      model: 'gemini-decision-1',
      input: [
        { type: 'text', text: JSON.stringify(state) },
        { type: 'text', text: 'photo' },
        { type: 'image', mime_type: 'image/png', data: png },
      ],
      questions: { intact: noul },
    },
  },
]

for (const { upstream, settings, expected } of questionsCases)
  for (const path of ['/v1/questions', '/v1/systemone'])
    test(`sends an image from ${path} to ${upstream}`, async () => {
      assert.equal(await translate(settings, path, createRequest()), expected)
    })

// In a translation of `decisionsRequest`, svc names the images `image_1`, `image_2` and so on, and moves them out of the input.
const translatedAssets = { image_1: { type: 'image', format: 'png', data_base64: png } }
const translatedInput = [
  {
    role: 'user',
    content: [
      { type: 'input_text', text: 'photo' },
      { type: 'input_image', image_url: 'image_1' },
    ],
  },
]

const decisionsCases: ReadonlyArray<{
  readonly upstream: string
  readonly settings: UpstreamSettings
  readonly expected: unknown
}> = [
  {
    upstream: 'the dialect decisions',
    settings: { dialect: 'decisions' },
    expected: decisionsRequest,
  },
  {
    upstream: 'the dialect questions',
    settings: { dialect: 'questions' },
    expected: {
      model: 'svc-latest',
      state: translatedInput,
      questions: { intact: noul },
      assets: translatedAssets,
    },
  },
  {
    upstream: 'TypeSafe',
    settings: { provider: 'typesafe' },
    expected: {
      model: 'jev-latest',
      state: translatedInput,
      questions: { intact: noul },
      assets: translatedAssets,
    },
  },
  {
    upstream: 'Gemini',
    settings: { provider: 'gemini' },
    expected: {
      model: 'gemini-decision-1',
      input: [
        { type: 'text', text: JSON.stringify(translatedInput) },
        { type: 'text', text: 'image_1' },
        { type: 'image', mime_type: 'image/png', data: png },
      ],
      questions: { intact: noul },
    },
  },
]

for (const { upstream, settings, expected } of decisionsCases)
  test(`sends an image from /v1/decisions to ${upstream}`, async () => {
    assert.equal(await translate(settings, '/v1/decisions', decisionsRequest), expected)
  })

test('does not change a byte of a request if the caller and the upstream service have the same dialect', async () => {
  const webpRequest = createRequest(webp, 'webp')
  const webpDecisions = createDecisionsRequest(createImagePart(webp, 'webp'))
  for (const { dialect, request } of [
    { dialect: 'questions', request: webpRequest },
    { dialect: 'systemone', request: webpRequest },
    { dialect: 'decisions', request: webpDecisions },
  ] as const) {
    const { url, received } = await startBeforeUpstream({ dialect })
    // The engine would replace the alias `svc-latest`, so the request names a model.
    const indented = JSON.stringify({ ...request, model: 'm' }, undefined, 1)
    await post(url, indented, { path: `/v1/${dialect}` })
    assert.is(received[0]?.body, indented)
  }
})

test('leaves an empty `assets` out, which generated clients send', async () => {
  const request = { model: 'm', state: 'x', questions: { intact: noul } }
  for (const [settings, path] of [
    [{ dialect: 'systemone' }, '/v1/systemone'],
    [{ dialect: 'systemone', model: 'other' }, '/v1/systemone'],
    [{ provider: 'typesafe' }, '/v1/questions'],
    [{ dialect: 'questions' }, '/v1/systemone'],
  ] as const) {
    const { url, received } = await startBeforeUpstream(settings)
    assert.is((await post(url, { ...request, assets: {} }, { path })).status, 200)
    assert.equal(JSON.parse(received[0]?.body ?? ''), request)
    assert.is(received[0]?.imagesHeader, undefined)
  }
  const { url } = await startService()
  assert.is((await post(url, { ...request, model: 'stub-1', assets: {} })).status, 200)
})

test('sends the images header only to TypeSafe and LiteLLM, for images and for box questions', async () => {
  const boxRequest = {
    state: 'x',
    questions: { a: { type: 'box', instructions: 'The sign' } },
  }
  const requestWithoutImage = { state: 'x', questions: { intact: noul } }
  for (const { provider, path, request, header } of [
    { provider: 'typesafe', path: '/v1/systemone', request: createRequest(), header: 'true' },
    { provider: 'typesafe', path: '/v1/questions', request: boxRequest, header: 'true' },
    { provider: 'litellm', path: '/v1/decisions', request: decisionsRequest, header: 'true' },
    {
      provider: 'typesafe',
      path: '/v1/questions',
      request: requestWithoutImage,
      header: undefined,
    },
    { provider: 'openrouter', path: '/v1/systemone', request: createRequest(), header: undefined },
  ] as const) {
    const { url, received } = await startBeforeUpstream({ provider, model: 'm' })
    await post(url, request, { path })
    assert.is(received[0]?.imagesHeader, header, `${provider} ${path}`)
  }
})

const refusals: ReadonlyArray<{
  readonly title: string
  readonly settings: UpstreamSettings
  readonly path: string
  readonly request: object
  readonly status: number
  readonly message: RegExp
}> = [
  {
    title: 'WebP for TypeSafe',
    settings: { provider: 'typesafe' },
    path: '/v1/decisions',
    request: createDecisionsRequest(createImagePart(webp, 'webp')),
    status: 400,
    message: /must be PNG or JPEG, not WebP/,
  },
  {
    title: 'an image for Venice',
    settings: { provider: 'venice' },
    path: '/v1/decisions',
    request: decisionsRequest,
    status: 400,
    message: /venice does not accept images/,
  },
  {
    title: '21 images for Gemini',
    settings: { provider: 'gemini' },
    path: '/v1/decisions',
    request: createDecisionsRequest(...Array(21).fill(createImagePart(png, 'png'))),
    status: 400,
    message: /takes at most 20 images, got 21/,
  },
  {
    title: 'an image without bytes',
    settings: { provider: 'openai' },
    path: '/v1/questions',
    request: createRequest(''),
    status: 422,
    message: /must have its bytes in \\"data_base64\\"/,
  },
  {
    title: 'a GIF',
    settings: { provider: 'openai' },
    path: '/v1/questions',
    request: createRequest(png, 'gif'),
    status: 422,
    message: /must have the format png, jpg, jpeg or webp/,
  },
]

for (const { title, settings, path, request, status, message } of refusals)
  test(`refuses ${title} with ${status}, and sends nothing`, async () => {
    const { url, received } = await startBeforeUpstream(settings)
    const response = await post(url, request, { path })
    assert.is(response.status, status)
    assert.match(await response.text(), message)
    assert.equal(received, [])
  })

test('refuses images if the engine answers questions itself', async () => {
  const { url } = await startService(createEmbeddedEngine(nodeFiles))
  for (const path of ['/v1/questions', '/v1/systemone']) {
    const response = await post(url, createRequest(), { path })
    assert.is(response.status, 400)
    assert.match(await response.text(), /"images are not supported by this engine"/)
  }
})

/** An image of 16 MiB, in base64. */
const largeImage = Buffer.alloc(16 << 20, '\x89PNG\r\n\x1a\n', 'latin1').toString('base64')

test('refuses an image over --max-body with 413, and names the flag', async () => {
  const { url } = await startBeforeUpstream({ provider: 'gemini' })
  const response = await post(url, createRequest(largeImage))
  assert.is(response.status, 413)
  assert.match(await response.text(), /request exceeds 2097152 bytes \(--max-body\)/)
})

test('sends 16 MiB of images with --max-body 32 MiB, and logs no byte of them', async () => {
  // Large bodies take a busy machine more than the default time.
  const settings = { provider: 'gemini', timeout: 60_000_000_000n } as const
  const serviceOptions = { maxBodyBytes: 32 << 20, answerTimeoutMs: 60_000 }
  const { url, received, logLines } = await startBeforeUpstream(settings, serviceOptions)
  assert.is((await post(url, createRequest(largeImage))).status, 200)
  // Gemini's input is the state, the name of the image, and the image.
  assert.is(JSON.parse(received[0]?.body ?? '').input[2].data, largeImage)
  // The signature of PNG files, in base64.
  const startOfPng = 'iVBOR'
  assert.ok(largeImage.startsWith(startOfPng))
  assert.not.match(logLines.join(''), startOfPng)
})

test.run()
