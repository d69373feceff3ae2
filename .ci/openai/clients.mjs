/**
 * Asks a running `svc serve` with OpenAI's client and with the AI SDK: `node .ci/openai/clients.mjs <path of the installed svc>`.
 * They need Node 22. The last line is `N passed, N failed`.
 */
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { createOpenAI } from '@ai-sdk/openai'
import { createTypeSafeAi } from '@ai-sdk/typesafe-ai'
import { experimental_decide } from 'ai'
import OpenAI from 'openai'
import * as assert from 'uvu/assert'

const [program] = process.argv.slice(2)
const services = []
/** Starts `svc serve` with these flags. Resolves with the address for clients. */
const startService = async (flags, env = {}) => {
  const service = spawn(process.execPath, [program, 'serve', '--port', '0', ...flags], {
    env: { PATH: process.env.PATH, SERVICE_API_KEYS: 'k', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  services.push(service)
  for await (const line of createInterface({ input: service.stderr })) {
    const address = /http:\/\/[\d.]+:\d+/.exec(line)?.[0]
    if (address !== undefined) return `${address}/v1`
  }
  throw new Error('svc serve ended at once')
}
const baseURL = await startService([])

const counts = { passed: 0, failed: 0 }
const test = async (title, work) => {
  try {
    await work()
    counts.passed += 1
    console.log(`ok ${title}`)
  } catch (error) {
    counts.failed += 1
    console.log(`FAIL ${title}\n`, error)
  }
}

const createClient = (apiKey = 'k') =>
  new OpenAI({ baseURL, apiKey, maxRetries: 0, logLevel: 'off' })
const state = 'I was charged twice this month. Fix it now.'

await test('OpenAI: decisions of every type', async () => {
  const { data, request_id } = await createClient()
    .decisions.create({
      model: 'svc-latest',
      input: [{ role: 'user', content: [{ type: 'input_text', text: state }] }],
      questions: [
        { type: 'predicate', name: 'billing', instructions: 'Was the customer charged twice?' },
        {
          type: 'choice',
          name: 'tone',
          instructions: 'What is the tone?',
          choices: [{ value: 'calm', description: 'polite' }, { value: 'fix it now' }],
        },
        {
          type: 'choice',
          instructions: 'Charged twice?',
          choices: [{ value: true, description: 'charged twice' }, { value: false }],
        },
        {
          type: 'score',
          name: 'urgency',
          instructions: 'How urgent is it?',
          levels: [{ label: 'can wait' }, { label: 'fix now' }],
        },
      ],
    })
    .withResponse()
  assert.match(request_id, /^req_/)
  assert.is(data.model, 'svc-embedded-1')
  assert.is(data.usage.total_tokens, 0)
  const [billing, tone, charged, urgency] = data.answers
  assert.equal([billing.type, tone.type, charged.type], ['predicate', 'choice', 'choice'])
  assert.ok(billing.probability > 0.5)
  assert.is(tone.choice, 'fix it now')
  assert.equal([charged.choice, charged.name], [true, null])
  assert.is(urgency.type, 'score')
  assert.ok(urgency.score > 0.5)
  assert.equal(
    urgency.probabilities.map(({ value, label }) => [value, label]),
    [
      [0, 'can wait'],
      [1, 'fix now'],
    ],
  )
})

await test('OpenAI: the list of models', async () => {
  const names = []
  for await (const { id } of createClient().models.list()) names.push(id)
  assert.equal(names, ['svc-latest', 'svc-embedded-1'])
})

/** Asks questions about a text. Returns the error; `undefined` if there is none. */
const catchError = async (client, model, decisionQuestions) => {
  try {
    await client.decisions.create({ model, input: 'x', questions: decisionQuestions })
  } catch (error) {
    return error
  }
  return undefined
}

await test('OpenAI: its errors have class, message, parameter, code and request id', async () => {
  const question = { type: 'predicate', instructions: '?', name: 'a' }
  const wrongKey = await catchError(createClient('wrong'), 'svc-latest', [question])
  assert.instance(wrongKey, OpenAI.AuthenticationError)
  assert.is(wrongKey.code, 'invalid_api_key')
  const unknownModel = await catchError(createClient(), 'svc-9', [question])
  assert.instance(unknownModel, OpenAI.NotFoundError)
  assert.match(String(unknownModel), /404 Unknown model: svc-9/)
  const repeatedName = await catchError(createClient(), 'svc-latest', [question, question])
  assert.instance(repeatedName, OpenAI.BadRequestError)
  assert.is(repeatedName.param, 'questions[1].name')
  assert.match(repeatedName.requestID, /^req_/)
})

await test('OpenAI: calls for text say which call to use', async () => {
  const { chat, responses } = createClient()
  const messages = [{ role: 'user', content: 'Hello' }]
  for (const call of [
    chat.completions.create({ model: 'svc-latest', messages }),
    responses.create({ model: 'svc-latest', input: 'Hello' }),
  ]) {
    const error = await call.catch((cause) => cause)
    assert.instance(error, OpenAI.NotFoundError)
    assert.match(error.message, /^404 This service answers typed questions .*decisions\.create/)
    assert.match(error.requestID, /^req_/)
  }
})

const questions = {
  billing: {
    type: 'boolean',
    instructions: 'Was the customer charged twice?',
    criteria: { true: 'charged twice', false: 'not charged' },
  },
  tone: {
    type: 'choice',
    instructions: 'What is the tone?',
    criteria: { calm: 'polite', angry: 'fix it now', other: null },
  },
  urgency: {
    type: 'score',
    instructions: 'How urgent?',
    criteria: ['can wait', 'fix it now', 'x'],
  },
}
const settings = { baseURL, apiKey: 'k' }
const models = {
  OpenAI: createOpenAI(settings).decisionModel('svc-latest'),
  TypeSafe: createTypeSafeAi(settings).evaluationModel('svc-latest'),
}

for (const [provider, model] of Object.entries(models))
  for (const evidence of [state, { ticket: state }])
    await test(`AI SDK with its provider for ${provider}: its strict checks of the answers to a ${typeof evidence} pass`, async () => {
      const request = { model, questions, maxRetries: 0, state: evidence }
      const { answers } = await experimental_decide(request)
      assert.ok(answers.billing.probability > 0.5)
      assert.is(answers.tone.choice, 'angry')
      assert.equal(Object.keys(answers.urgency.probabilities), ['0', '1', '2'])
    })

/** The bodies of the requests that `upstream` has received. */
const receivedBodies = []
/** A service that answers a yes/no question in the form of System One, as a `noul`. */
const upstream = createServer((incoming, outgoing) => {
  const chunks = []
  incoming.on('data', (chunk) => chunks.push(chunk))
  incoming.on('end', () => {
    // The service asks for the list of models when it starts.
    if (incoming.method === 'GET') return outgoing.end('{"models":[]}')
    receivedBodies.push(JSON.parse(Buffer.concat(chunks).toString()))
    const answers = { intact: { type: 'noul', noul: 0.9 } }
    outgoing.end(JSON.stringify({ model: 'm', answers, usage: {} }))
  })
})
await new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve))
/** The address of a service that passes requests on to `upstream`. */
const frontBaseUrl = await startService(
  [
    '--engine=upstream',
    '--engine-dialect=systemone',
    `--engine-url=http://127.0.0.1:${upstream.address().port}`,
  ],
  { SERVICE_ENGINE_API_KEY: 'e' },
)
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const assets = { image_1: { type: 'image', format: 'png', data_base64: png } }

await test('OpenAI: an image reaches a service of another form', async () => {
  const client = new OpenAI({ baseURL: frontBaseUrl, apiKey: 'k', maxRetries: 0, logLevel: 'off' })
  const content = [
    { type: 'input_text', text: 'The parcel on arrival.' },
    { type: 'input_image', image_url: `data:image/png;base64,${png}` },
  ]
  const { answers } = await client.decisions.create({
    model: 'm',
    input: [{ role: 'user', content }],
    questions: [{ type: 'predicate', name: 'intact', instructions: 'Is the box intact?' }],
  })
  assert.is(answers[0].probability, 0.9)
  const [text] = content
  assert.equal(receivedBodies.pop(), {
    model: 'm',
    state: [{ role: 'user', content: [text, { type: 'input_image', image_url: 'image_1' }] }],
    questions: { intact: { type: 'noul', instructions: 'Is the box intact?' } },
    assets,
  })
})

await test('AI SDK with its provider for OpenAI: an image reaches a service of another form', async () => {
  const { answers } = await experimental_decide({
    model: createOpenAI({ baseURL: frontBaseUrl, apiKey: 'k' }).decisionModel('m'),
    questions: { intact: { type: 'boolean', instructions: 'Is the box intact?' } },
    maxRetries: 0,
    state: [
      { type: 'text', text: 'The parcel on arrival.' },
      { type: 'file', mediaType: 'image/png', data: Buffer.from(png, 'base64') },
    ],
  })
  assert.is(answers.intact.probability, 0.9)
  assert.equal(receivedBodies.pop().assets, assets)
})

upstream.close()
for (const service of services) service.kill()
console.log(`${counts.passed} passed, ${counts.failed} failed`)
process.exitCode = counts.failed === 0 ? 0 : 1
