import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Draft, encodeText } from '../../lib/codec/json/draft'
import { nodeFiles } from '../../lib/runtime/node/files'
import { engineFailed } from '../../lib/service/contract/problem'
import { createEmbeddedEngine } from '../../lib/service/engines/embedded/open-embedded'
import { createStubEngine, post, type RunningService, startService } from './run-service'

const test = suite("service: OpenAI's decisions")
let service: RunningService

test.before(async () => {
  service = await startService(createStubEngine(), { keys: ['k'] })
})
test.after(() => service.stop())

const path = '/v1/decisions'
const predicate = { type: 'predicate', instructions: 'Is it late?' }
const validRequest = { model: 'svc-latest', input: 'It is late.', questions: [predicate] }

const ask = (document: unknown, headers: Readonly<Record<string, string>> = {}) =>
  post(service.url, document, { headers, path })

/** Posts a document. Returns the state and the questions that the engine gets. */
const captureEngineRequest = async (document: object) => {
  let engineRequest: unknown
  const capturingService = await startService(
    createStubEngine(async ({ state, questions }) => {
      const questionDrafts = questions.map(([, question]): Draft => ({ ...question }))
      engineRequest = JSON.parse(encodeText({ state, questions: questionDrafts }))
      return engineFailed('The request has been captured.')
    }),
  )
  await (await post(capturingService.url, document, { path })).text()
  await capturingService.stop()
  return engineRequest as { state: unknown; questions: ReadonlyArray<Record<string, unknown>> }
}

test('answers every question type, with all members that strict clients require', async () => {
  const response = await ask({
    ...validRequest,
    questions: [
      { ...predicate, name: 'late' },
      predicate,
      {
        type: 'choice',
        name: 'typed',
        instructions: '?',
        choices: [{ value: true, description: 'Yes.' }, { value: 'true' }, { value: false }],
      },
      { type: 'score', name: '', instructions: '?', levels: [{ label: 'low' }, { label: 'low' }] },
    ],
  })
  assert.is(response.status, 200)
  assert.match(response.headers.get('x-request-id') ?? '', /^req_/)
  assert.is(response.headers.get('x-service-request-id'), response.headers.get('x-request-id'))
  assert.equal(await response.json(), {
    model: 'stub-1',
    answers: [
      { type: 'predicate', name: 'late', probability: 1 },
      { type: 'predicate', name: null, probability: 1 },
      {
        type: 'choice',
        name: 'typed',
        choice: true,
        confidence: 1,
        probabilities: [
          { value: true, probability: 1 },
          { value: 'true', probability: 0 },
          { value: false, probability: 0 },
        ],
      },
      {
        type: 'score',
        name: '',
        score: 0,
        confidence: 1,
        probabilities: [
          { value: 0, label: 'low', probability: 1 },
          { value: 1, label: 'low', probability: 0 },
        ],
      },
    ],
    usage: {
      input_tokens: 7,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 7,
    },
  })
})

const textPart = { type: 'input_text', text: 'It is late.' }
const jsonPart = { type: 'input_json', data: { a: 1 } }
const createMessages = (content: unknown, role = 'user') => [{ role, content }]

const inputCases: ReadonlyArray<{
  readonly title: string
  readonly input: unknown
  readonly state: unknown
}> = [
  { title: 'a text', input: 'It is late.', state: 'It is late.' },
  {
    title: 'a message of a user with a text',
    input: createMessages('It is late.'),
    state: 'It is late.',
  },
  {
    title: 'a message of a user with one text part',
    input: createMessages([textPart]),
    state: 'It is late.',
  },
  {
    title: 'a message with a text and JSON',
    input: createMessages([textPart, jsonPart]),
    state: createMessages([textPart, jsonPart]),
  },
  {
    title: 'a message with JSON',
    input: createMessages([jsonPart]),
    state: createMessages([jsonPart]),
  },
  {
    title: 'a message of a developer',
    input: createMessages('It is late.', 'developer'),
    state: createMessages('It is late.', 'developer'),
  },
  {
    title: 'two messages',
    input: [...createMessages('a'), ...createMessages('b')],
    state: [...createMessages('a'), ...createMessages('b')],
  },
]

for (const { title, input, state } of inputCases)
  test(`translates the input into the state: ${title}`, async () => {
    assert.equal((await captureEngineRequest({ ...validRequest, input })).state, state)
  })

const questionCases: ReadonlyArray<{
  readonly title: string
  readonly question: object
  readonly translated: object
}> = [
  {
    title: 'instructions with one text part',
    question: { type: 'predicate', instructions: [textPart] },
    translated: { type: 'noul', instructions: 'It is late.' },
  },
  {
    title: 'instructions with a text and JSON',
    question: { type: 'predicate', instructions: [textPart, jsonPart] },
    translated: { type: 'noul', instructions: [textPart, jsonPart] },
  },
  {
    title: 'boolean values beside a text with the same letters',
    question: {
      type: 'choice',
      instructions: '?',
      choices: [{ value: false, description: 'd' }, { value: 'false' }, { value: true }],
    },
    translated: {
      type: 'choice',
      instructions: '?',
      // A boolean value gets an apostrophe if another value is a text with the same letters.
      criteria: [
        ["false'", 'd'],
        ['false', null],
        ['true', null],
      ],
    },
  },
  {
    title: 'levels with and without a description',
    question: {
      type: 'score',
      instructions: '?',
      levels: [{ label: '0', description: 'low' }, { label: 'b' }],
    },
    translated: { type: 'score', instructions: '?', criteria: ['0: low', 'b'] },
  },
]

for (const { title, question, translated } of questionCases)
  test(`translates a question for the engine: ${title}`, async () => {
    const { questions } = await captureEngineRequest({ ...validRequest, questions: [question] })
    assert.equal(questions, [translated])
  })

/** Asserts that a response has this status and an error in OpenAI's form. */
const assertError = async (
  response: Response,
  status: number,
  expected: { readonly type: string; readonly code: string },
): Promise<void> => {
  const { error } = (await response.json()) as { error: Record<string, unknown> }
  assert.is(response.status, status)
  assert.equal(Object.keys(error), ['message', 'type', 'param', 'code'])
  assert.equal({ type: error.type, code: error.code }, expected)
}

test('answers 404 in OpenAI’s form to an unknown model', async () => {
  const response = await ask({ ...validRequest, model: 'gpt-9' })
  await assertError(response, 404, { type: 'invalid_request_error', code: 'model_not_found' })
})

test('answers 405 in OpenAI’s form to GET', async () => {
  const response = await fetch(`${service.url}${path}`)
  assert.is(response.headers.get('allow'), 'POST')
  await assertError(response, 405, { type: 'invalid_request_error', code: 'method_not_allowed' })
})

test('answers 401 in OpenAI’s form to a wrong key', async () => {
  const response = await ask(validRequest, { authorization: 'Bearer wrong' })
  await assertError(response, 401, { type: 'invalid_request_error', code: 'invalid_api_key' })
})

test('answers 415 in OpenAI’s form to text', async () => {
  const response = await ask(validRequest, { 'content-type': 'text/plain' })
  await assertError(response, 415, {
    type: 'invalid_request_error',
    code: 'unsupported_media_type',
  })
})

test('answers 502 in OpenAI’s form if the engine fails, and 429 above the rate limit', async () => {
  const failingService = await startService(
    createStubEngine(async () => engineFailed('Gone.')),
    { maxRequestsPerMinute: 1 },
  )
  const failed = await post(failingService.url, validRequest, { path })
  await assertError(failed, 502, { type: 'server_error', code: 'engine_error' })
  const limited = await post(failingService.url, validRequest, { path })
  await assertError(limited, 429, { type: 'requests', code: 'rate_limit_exceeded' })
  await failingService.stop()
})

test('the other routes answer 400 to a decisions document, and name /v1/decisions', async () => {
  for (const otherPath of ['/v1/questions', '/v1/systemone']) {
    const response = await post(service.url, validRequest, { path: otherPath })
    assert.is(response.status, 400)
    assert.equal(await response.json(), {
      detail: {
        error_type: 'api_usage_error',
        message: 'A document of this form belongs to POST /v1/decisions',
      },
    })
  }
})

test('lists the models in one document for clients of every dialect', async () => {
  const embeddedService = await startService(createEmbeddedEngine(nodeFiles))
  const response = await fetch(`${embeddedService.url}/v1/models`, {
    headers: { authorization: 'Bearer k' },
  })
  const id = response.headers.get('x-service-request-id')
  for (const name of ['x-request-id', 'x-typesafe-request-id'])
    assert.is(response.headers.get(name), id)
  const modelList = (await response.json()) as {
    readonly object: string
    readonly models: ReadonlyArray<{ readonly name: string }>
    readonly data: ReadonlyArray<object>
  }
  assert.is(modelList.object, 'list')
  assert.equal(
    modelList.models.map(({ name }) => name),
    ['svc-latest', 'svc-embedded-1'],
  )
  assert.equal(modelList.data[1], {
    id: 'svc-embedded-1',
    object: 'model',
    // The engine's release date, 28 November 2026, in seconds.
    created: 1795824000,
    owned_by: 'svc',
  })
  await embeddedService.stop()
})

test.run()
