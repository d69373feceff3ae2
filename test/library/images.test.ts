import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createClient, noul, UsageError, ValidationError } from '../../lib/library'
import { closeAfterEach } from '../support/servers'
import { good, startService } from './support'

const test = suite('library/images')
closeAfterEach(test)

const png = Buffer.from('\x89PNG\r\n\x1a\nand the rest', 'latin1')
const questions = { intact: noul('Is the box in photo intact?') }
const answers = { intact: { type: 'noul', noul: 0.9 } }

const openClient = async (dialect: 'questions' | 'decisions' = 'questions') => {
  const service = await startService(() => ({ body: good(answers) }))
  const client = createClient({ baseUrl: service.url, apiKey: 'k', model: 'm', dialect })
  return { client, seen: service.seen }
}

const asset = { type: 'image', format: 'png', data_base64: png.toString('base64') }

test('asks about images beside a state, or without one', async () => {
  const { client, seen } = await openClient()
  const options = { images: { photo: png } }
  for (const state of ['On arrival.', { day: 1 }, undefined])
    assert.is((await client.ask(state, questions, options)).model, 'svc-1.13.0')
  const bodies = seen.map(({ body }) => JSON.parse(body))
  assert.equal(bodies[0], {
    model: 'm',
    state: { text: 'On arrival.', photo: 'photo' },
    questions: { intact: { type: 'noul', instructions: 'Is the box in photo intact?' } },
    assets: { photo: asset },
  })
  assert.equal(
    bodies.slice(1).map(({ state }) => state),
    [{ text: { day: 1 }, photo: 'photo' }, { photo: 'photo' }],
  )
})

test('no images is a call without images', async () => {
  const { client, seen } = await openClient()
  await client.ask('x', questions, { images: {} })
  const { state, assets } = JSON.parse(seen[0]?.body ?? '')
  assert.equal([state, assets], ['x', undefined])
})

test('writes an image as a part of the input in the form of OpenAI', async () => {
  const { client, seen } = await openClient('decisions')
  await client.askResult('On arrival.', questions, { images: { photo: new Uint8Array(png) } })
  const content = JSON.parse(seen[0]?.body ?? '').input[0].content
  const url = `data:image/png;base64,${asset.data_base64}`
  assert.equal(content.at(-1), { type: 'input_image', image_url: url })
})

const large = Buffer.concat([png, Buffer.alloc(16 << 20)])
const webp = Buffer.from('RIFF\0\0\0\0WEBP')
const cases = [
  [{ photo: Buffer.from('GIF89a') }, UsageError, 'image photo: it is not PNG, JPEG or WebP'],
  [{ photo: 'box.png' }, UsageError, 'image photo: pass its bytes as a Uint8Array'],
  [{ text: png }, UsageError, 'an image cannot have the name "text"'],
  [{ photo: large }, ValidationError, 'assets.photo: image exceeds 16 MiB'],
  [
    { a: large.subarray(0, 9 << 20), b: large.subarray(0, 9 << 20) },
    ValidationError,
    'assets: images exceed 16 MiB',
  ],
  [{ photo: webp }, ValidationError, 'takes PNG or JPEG images, not WebP'],
] as const

test('refuses what is no image, or too large, and sends nothing', async () => {
  const { client, seen } = await openClient()
  for (const [images, kind, message] of cases) {
    const result = await client.askResult('x', questions, { images: images as never })
    assert.ok(!result.ok && result.error instanceof kind, message)
    assert.match(result.error.message, message)
  }
  assert.equal(seen, [])
})

test('the list of models takes no images', async () => {
  const { client } = await openClient()
  const options = { images: { photo: png } } as object
  try {
    await client.models(options)
    assert.unreachable()
  } catch (error) {
    assert.match(String(error), 'unknown option "images"')
  }
})

test.run()
