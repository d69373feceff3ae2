import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CallOptions, noul, UsageError, ValidationError } from '../../lib/library'
import { closeAfterEach } from '../support/servers'
import { catchError, createResponseBody, startServiceAndClient } from './scripted-service'

const test = suite('library/images')
closeAfterEach(test)

/** Bytes that begin like an image. svc does not read the rest. */
const png = Buffer.from('\x89PNG\r\n\x1a\nand the rest', 'latin1')
const webp = Buffer.from('RIFF\0\0\0\0WEBP')
const pngBase64 = png.toString('base64')

/** A yes/no question. */
const questions = { intact: noul('Is the box in photo intact?') }

/** Starts a service that answers every request, and a client. */
const startAnswering = (dialect: 'questions' | 'decisions' = 'questions') =>
  startServiceAndClient(
    () => ({ body: createResponseBody({ intact: { type: 'noul', noul: 0.9 } }) }),
    { model: 'm', dialect },
  )

test('sends images as assets, and their names in the state', async () => {
  const { client, requests } = await startAnswering()
  const response = await client.ask('On arrival.', questions, { images: { photo: png } })
  assert.is(response.model, 'svc-1.13.0')
  assert.equal(JSON.parse(requests[0]?.body ?? ''), {
    model: 'm',
    state: { text: 'On arrival.', photo: 'photo' },
    questions: { intact: { type: 'noul', instructions: 'Is the box in photo intact?' } },
    assets: { photo: { type: 'image', format: 'png', data_base64: pngBase64 } },
  })
})

const stateCases: ReadonlyArray<{ readonly state: unknown; readonly sentState: unknown }> = [
  { state: 'On arrival.', sentState: { text: 'On arrival.', photo: 'photo' } },
  { state: { day: 1 }, sentState: { text: { day: 1 }, photo: 'photo' } },
  { state: undefined, sentState: { photo: 'photo' } },
]
for (const { state, sentState } of stateCases)
  test(`sends the state ${JSON.stringify(state)} with the name of an image`, async () => {
    const { client, requests } = await startAnswering()
    await client.ask(state, questions, { images: { photo: png } })
    assert.equal(JSON.parse(requests[0]?.body ?? '').state, sentState)
  })

test('leaves the state unchanged without images', async () => {
  const { client, requests } = await startAnswering()
  await client.ask('x', questions, { images: {} })
  const { state, assets } = JSON.parse(requests[0]?.body ?? '')
  assert.is(state, 'x')
  assert.is(assets, undefined)
})

test('sends an image as input_image in the dialect of OpenAI', async () => {
  const { client, requests } = await startAnswering('decisions')
  // The reply is not in this dialect, so the result is an error, which does not matter here.
  await client.askResult('On arrival.', questions, { images: { photo: new Uint8Array(png) } })
  const { content } = JSON.parse(requests[0]?.body ?? '').input[0]
  assert.equal(content.at(-1), {
    type: 'input_image',
    image_url: `data:image/png;base64,${pngBase64}`,
  })
})

const png17MiB = Buffer.concat([png, Buffer.alloc(17 << 20)])
const png9MiB = png17MiB.subarray(0, 9 << 20)

/** The refused images, and a part of the message. */
const refusedImages = [
  { images: { photo: Buffer.from('GIF89a') }, message: 'it is not PNG, JPEG or WebP' },
  { images: { photo: 'box.png' }, message: 'image photo: pass its bytes as a Uint8Array' },
  { images: { text: png }, message: 'an image cannot have the name "text"' },
  { images: { photo: png17MiB }, message: 'assets.photo: image exceeds 16 MiB' },
  { images: { a: png9MiB, b: png9MiB }, message: 'assets: images exceed 16 MiB' },
  { images: { photo: webp }, message: 'must be PNG or JPEG, not WebP' },
]
for (const { images, message } of refusedImages)
  test(`refuses images without sending a request: ${message}`, async () => {
    const { client, requests } = await startAnswering()
    const result = await client.askResult('x', questions, { images } as CallOptions)
    assert.ok(!result.ok)
    assert.ok(result.error instanceof UsageError || result.error instanceof ValidationError)
    assert.match(result.error.message, message)
    assert.equal(requests, [])
  })

test('models refuses the option images', async () => {
  const { client } = await startAnswering()
  const options = { images: { photo: png } } as object
  const error = await catchError(client.models(options))
  assert.match(String(error), 'unknown option "images"')
})

test.run()
