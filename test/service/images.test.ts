import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createLexicalEngine } from '../../lib/service/engines/lexical/engine'
import { closeAfterEach, httpServer } from '../support/servers'
import { openUpstream, post, startService, type UpstreamSettings } from './run-service'

const test = suite('service: images')
closeAfterEach(test)

const png = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1').toString('base64')
const webp = Buffer.from('RIFF1234WEBPrest').toString('base64')
const instructions = 'Is the box in photo intact?'
const state = { text: 'The parcel on arrival.', photo: 'photo' }

/** A request of the specification with an image. */
const createRequest = (data = png, format = 'png') => ({
  model: 'svc-latest',
  state,
  questions: { intact: { type: 'noul', instructions } },
  assets: { photo: { type: 'image', format, data_base64: data } },
})

/** The same in OpenAI's form, with the name of the image that svc gives it. */
const createMessage = (image: string, name: string) => [
  {
    role: 'user',
    content: [
      { type: 'input_text', text: name },
      { type: 'input_image', image_url: image },
    ],
  },
]
const createOpenaiRequest = (data = png, format = 'png') => ({
  model: 'svc-latest',
  input: createMessage(`data:image/${format};base64,${data}`, 'photo'),
  questions: [{ type: 'predicate', name: 'intact', instructions }],
})

/** A service that answers the question, in its dialect, and the requests that it got. */
const startUpstream = async (isList: boolean) => {
  const seen: Array<{ url: string; header: unknown; text: string }> = []
  const answer = isList
    ? [{ type: 'predicate', name: 'intact', probability: 0.9 }]
    : { intact: { type: 'noul', noul: 0.9 } }
  const server = await httpServer((incoming, outgoing) => {
    const chunks: Array<Buffer> = []
    incoming.on('data', (chunk) => chunks.push(chunk))
    incoming.on('end', () => {
      const header = incoming.headers['typesafe-danger-zone-images']
      seen.push({ url: incoming.url ?? '', header, text: Buffer.concat(chunks).toString() })
      outgoing.end(JSON.stringify({ model: 'm', answers: answer, usage: {} }))
    })
  })
  return { ...server, seen }
}

/** Puts `svc serve --engine upstream` before such a service. */
const startFront = async (settings: UpstreamSettings, maxBodyBytes?: number) => {
  const isList = settings.dialect === 'decisions' || settings.provider === 'openai'
  const back = await startUpstream(isList)
  const engine = await openUpstream({ url: back.url, ...settings })
  const front = await startService(engine, maxBodyBytes === undefined ? {} : { maxBodyBytes })
  return { url: front.url, seen: back.seen, lines: front.lines }
}

test('a caller of System One reaches every form of an upstream service with an image', async () => {
  const { model, ...rest } = createRequest()
  const stateText = JSON.stringify(state)
  const cases: ReadonlyArray<readonly [UpstreamSettings, unknown]> = [
    [{ dialect: 'questions' }, createRequest()],
    [{ dialect: 'systemone' }, createRequest()],
    [{ provider: 'typesafe' }, { model: 'jev-latest', ...rest }],
    [
      { provider: 'openai' },
      {
        model: 'gpt-6-luna',
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: stateText },
              { type: 'input_text', text: 'photo' },
              { type: 'input_image', image_url: `data:image/png;base64,${png}` },
            ],
          },
        ],
        questions: [{ type: 'predicate', name: 'intact', instructions }],
      },
    ],
    [
      { provider: 'gemini' },
      {
        model: 'gemini-decision-1',
        input: [
          { type: 'text', text: stateText },
          { type: 'text', text: 'photo' },
          { type: 'image', mime_type: 'image/png', data: png },
        ],
        questions: { intact: { type: 'noul', instructions } },
      },
    ],
  ]
  for (const [settings, expected] of cases)
    for (const path of ['/v1/questions', '/v1/systemone']) {
      const { url, seen } = await startFront(settings)
      assert.is((await post(url, createRequest(), {}, path)).status, 200)
      assert.equal(JSON.parse(seen[0]?.text ?? ''), expected)
    }
})

test('a caller of OpenAI’s form reaches every form of an upstream service with an image', async () => {
  const input = createMessage('image_1', 'photo')
  const questions = { intact: { type: 'noul', instructions } }
  const assets = { image_1: { type: 'image', format: 'png', data_base64: png } }
  const cases: ReadonlyArray<readonly [UpstreamSettings, unknown]> = [
    [{ dialect: 'decisions' }, createOpenaiRequest()],
    [{ dialect: 'questions' }, { model: 'svc-latest', state: input, questions, assets }],
    [{ provider: 'typesafe' }, { model: 'jev-latest', state: input, questions, assets }],
    [
      { provider: 'gemini' },
      {
        model: 'gemini-decision-1',
        input: [
          { type: 'text', text: JSON.stringify(input) },
          { type: 'text', text: 'image_1' },
          { type: 'image', mime_type: 'image/png', data: png },
        ],
        questions,
      },
    ],
  ]
  for (const [settings, expected] of cases) {
    const { url, seen } = await startFront(settings)
    assert.is((await post(url, createOpenaiRequest(), {}, '/v1/decisions')).status, 200)
    assert.equal(JSON.parse(seen[0]?.text ?? ''), expected)
  }
})

test('between callers and services of one form the bytes of a request stay as they are', async () => {
  const cases = [
    ['/v1/questions', { dialect: 'questions' }, createRequest(webp, 'webp')],
    ['/v1/systemone', { dialect: 'systemone' }, createRequest(webp, 'webp')],
    ['/v1/decisions', { dialect: 'decisions' }, createOpenaiRequest(webp, 'webp')],
  ] as const
  for (const [path, settings, document] of cases) {
    const { url, seen } = await startFront(settings)
    const text = JSON.stringify({ ...document, model: 'm' }, undefined, 1)
    await post(url, text, {}, path)
    assert.is(seen[0]?.text, text)
  }
})

test('only services that need it get TypeSafe’s header, and only for images and places in them', async () => {
  const box = { state: 'x', questions: { a: { type: 'box', instructions: 'The sign' } } }
  const plain = { state: 'x', questions: { intact: { type: 'noul', instructions } } }
  const cases = [
    [{ provider: 'typesafe' }, '/v1/systemone', createRequest(), 'true'],
    [{ provider: 'typesafe' }, '/v1/questions', box, 'true'],
    [{ provider: 'litellm', model: 'm' }, '/v1/decisions', createOpenaiRequest(), 'true'],
    [{ provider: 'typesafe' }, '/v1/questions', plain, undefined],
    [{ provider: 'openrouter' }, '/v1/systemone', createRequest(), undefined],
  ] as const
  for (const [settings, path, document, expected] of cases) {
    const { url, seen } = await startFront(settings)
    await post(url, document, {}, path)
    assert.is(seen[0]?.header, expected)
  }
})

test('images that the upstream service does not take are refused in the caller’s form, and nothing is sent', async () => {
  const many = {
    ...createOpenaiRequest(),
    input: [{ role: 'user', content: Array(21).fill(createOpenaiRequest().input[0]?.content[1]) }],
  }
  const cases = [
    [
      { provider: 'typesafe' },
      createOpenaiRequest(webp, 'webp'),
      400,
      /typesafe takes PNG or JPEG.*not WebP/,
    ],
    [{ provider: 'perplexity' }, createOpenaiRequest(), 400, /perplexity takes no images/],
    [{ provider: 'gemini' }, many, 400, /takes at most 20 images, got 21/],
    [{ provider: 'openai' }, createRequest(''), 422, /must have its bytes in \\"data_base64\\"/],
    [
      { provider: 'openai' },
      createRequest(png, 'gif'),
      422,
      /must have the format png, jpg, jpeg or webp/,
    ],
  ] as const
  for (const [settings, document, status, expected] of cases) {
    const { url, seen } = await startFront(settings)
    const path = 'input' in document ? '/v1/decisions' : '/v1/questions'
    const response = await post(url, document, {}, path)
    assert.is(response.status, status)
    assert.match(await response.text(), expected)
    assert.equal(seen, [])
  }
})

test('engines that answer by themselves refuse images', async () => {
  const { url } = await startService(createLexicalEngine())
  for (const path of ['/v1/questions', '/v1/systemone']) {
    const response = await post(url, createRequest(), {}, path)
    assert.is(response.status, 400)
    assert.match(await response.text(), /"images are not supported by this engine"/)
  }
})

test('16 MiB of images pass with a larger --max-body, which a 413 names, and no log has their bytes', async () => {
  const large = Buffer.alloc(16 << 20, '\x89PNG\r\n\x1a\n', 'latin1').toString('base64')
  const small = await startFront({ provider: 'gemini' })
  const refused = await post(small.url, createRequest(large))
  assert.is(refused.status, 413)
  assert.match(await refused.text(), /request exceeds 2097152 bytes \(--max-body\)/)
  const { url, seen, lines } = await startFront({ provider: 'gemini' }, 32 << 20)
  assert.is((await post(url, createRequest(large))).status, 200)
  assert.is(JSON.parse(seen[0]?.text ?? '').input[2].data, large)
  assert.not.match(lines.join(''), /iVBOR|UklGR/)
})

test.run()
