import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Draft, encodeText } from '../../lib/codec/json/draft'
import { engineFailed } from '../../lib/service/contract/problem'
import { createLexicalEngine } from '../../lib/service/engines/lexical/engine'
import { createStubEngine, post, type RunningService, startService } from './run-service'

const test = suite("service: OpenAI's decisions")
let service: RunningService

test.before(async () => {
  service = await startService(createStubEngine(), { keys: ['k'] })
})
test.after(() => service.stop())

const path = '/v1/decisions'
const predicate = { type: 'predicate', instructions: 'Is it late?' }
const valid = { model: 'svc-latest', input: 'It is late.', questions: [predicate] }

const ask = (document: unknown, headers = {}) => post(service.url, document, headers, path)

/** A question with its criteria as pairs, as engines get it. */
const draftOf = (question: object): Draft => ({ ...question })

/** The questions that the engine gets for a document. */
const readBy = async (document: object) => {
  let asked: unknown
  const engine = await startService(
    createStubEngine(async ({ state, questions }) => {
      asked = JSON.parse(
        encodeText({ state, questions: questions.map(([, question]) => draftOf(question)) }),
      )
      return engineFailed('Not this one.')
    }),
  )
  await (await post(engine.url, document, {}, path)).text()
  await engine.stop()
  return asked as { state: unknown; questions: ReadonlyArray<Record<string, unknown>> }
}

test('every type, named or not, text and boolean values, with every field that strict clients need', async () => {
  const response = await ask({
    ...valid,
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

test('asks the engine with one text or the list, instructions and descriptions', async () => {
  const text = (content: unknown, role = 'user') => [{ role, content }]
  const part = { type: 'input_text', text: 'It is late.' }
  const data = { type: 'input_json', data: { a: 1 } }
  for (const [input, state] of [
    ['It is late.', 'It is late.'],
    [text('It is late.'), 'It is late.'],
    [text([part]), 'It is late.'],
    [text([part, data]), text([part, data])],
    [text([data]), text([data])],
    [text('It is late.', 'developer'), text('It is late.', 'developer')],
    [
      [...text('a'), ...text('b')],
      [...text('a'), ...text('b')],
    ],
  ])
    assert.equal((await readBy({ ...valid, input })).state, state)
  const { questions } = await readBy({
    ...valid,
    questions: [
      { type: 'predicate', instructions: [part] },
      { type: 'predicate', instructions: [part, data] },
      {
        type: 'choice',
        instructions: '?',
        choices: [{ value: false, description: 'd' }, { value: 'false' }, { value: true }],
      },
      {
        type: 'score',
        instructions: '?',
        levels: [{ label: '0', description: 'low' }, { label: 'b' }],
      },
    ],
  })
  assert.equal(questions, [
    { type: 'noul', instructions: 'It is late.' },
    { type: 'noul', instructions: [part, data] },
    {
      type: 'choice',
      instructions: '?',
      criteria: [
        ["false'", 'd'],
        ['false', null],
        ['true', null],
      ],
    },
    { type: 'score', instructions: '?', criteria: ['0: low', 'b'] },
  ])
})

const choices = (...values: ReadonlyArray<unknown>) => ({
  ...valid,
  questions: [{ type: 'choice', instructions: '?', choices: values.map((value) => ({ value })) }],
})
const questions = (...list: ReadonlyArray<unknown>) => ({ ...valid, questions: list })

test('a fault of a request is a 400 in this form that names the place', async () => {
  const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
  const cases: ReadonlyArray<readonly [unknown, RegExp, string | null, string | null]> = [
    ['{', /^invalid request JSON: /, null, null],
    [[], /^Invalid body: must be an object\.$/, null, 'invalid_type'],
    [
      { ...valid, model: undefined },
      /^Missing required parameter: 'model'\.$/,
      'model',
      'missing_required_parameter',
    ],
    [
      { ...valid, input: 1 },
      /^Invalid 'input': must be a string or an array\.$/,
      'input',
      'invalid_type',
    ],
    [
      { ...valid, temperature: 1 },
      /^Unknown parameter: 'temperature'\.$/,
      'temperature',
      'unknown_parameter',
    ],
    [questions(), /at least one question/, 'questions', 'array_below_min_length'],
    [
      questions({ ...predicate, criteria: {} }),
      /^Unknown parameter: 'questions\[0\]\.criteria'\.$/,
      'questions[0].criteria',
      'unknown_parameter',
    ],
    [
      questions({ type: 'predicate' }),
      /^Missing required/,
      'questions[0].instructions',
      'missing_required_parameter',
    ],
    [
      questions({ type: 'noul', instructions: '?' }),
      /must be one of predicate, choice, score/,
      'questions[0].type',
      'invalid_value',
    ],
    [
      questions({ ...predicate, name: 'a' }, { ...predicate, name: 'a' }),
      /must be unique/,
      'questions[1].name',
      'invalid_value',
    ],
    [
      questions(...Array(401).fill(predicate)),
      /a request may hold 400 questions/,
      'questions',
      'array_above_max_length',
    ],
    [
      questions({ type: 'score', instructions: '?', levels: [{}] }),
      /^Missing required/,
      'questions[0].levels[0].label',
      'missing_required_parameter',
    ],
    [
      choices('a'),
      /needs between 2 and 255, got 1/,
      'questions[0].choices',
      'array_below_min_length',
    ],
    [
      choices(...Array.from({ length: 256 }, (_, i) => `c${i}`)),
      /got 256/,
      'questions[0].choices',
      'array_above_max_length',
    ],
    [choices('a', 'a'), /values must be unique/, 'questions[0].choices', 'invalid_value'],
    [
      choices('a', 1),
      /must be a string or a boolean/,
      'questions[0].choices[1].value',
      'invalid_type',
    ],
    [
      questions({
        type: 'choice',
        instructions: '?',
        choices: [{ value: 'a' }, { value: 'b', description: null }],
      }),
      /must be a string\.$/,
      'questions[0].choices[1].description',
      'invalid_type',
    ],
    [
      questions({
        type: 'score',
        instructions: '?',
        levels: [{ label: 'a', description: null }, { label: 'b' }],
      }),
      /must be a string\.$/,
      'questions[0].levels[0].description',
      'invalid_type',
    ],
    [
      { ...valid, input: [{ role: 'tool', content: 'x' }] },
      /must be one of user, developer, system, assistant\.$/,
      'input[0].role',
      'invalid_value',
    ],
    [
      { ...valid, input: [{ role: 'user', content: [image] }] },
      /^images are not supported by this engine$/,
      null,
      null,
    ],
    [
      {
        ...valid,
        input: [{ role: 'user', content: [{ ...image, image_url: 'https://a.example/b.png' }] }],
      },
      /must be a data: URL with a PNG, JPEG or WebP image in base64\.$/,
      'input[0].content[0].image_url',
      'invalid_value',
    ],
    [
      questions({ type: 'predicate', instructions: [image] }),
      /an image must be a part of the input/,
      'questions[0].instructions[0].type',
      'invalid_value',
    ],
    [{ model: 'm', state: 1, questions: {} }, /belongs to POST \/v1\/questions$/, null, null],
  ]
  for (const [document, message, param, code] of cases) {
    const response = await ask(document)
    const { error } = (await response.json()) as { error: Record<string, unknown> }
    const seen = JSON.stringify(document).slice(0, 200)
    assert.is(response.status, 400, seen)
    assert.match(String(error.message), message)
    assert.equal(
      { ...error, message: '' },
      { message: '', type: 'invalid_request_error', param, code },
      seen,
    )
    assert.match(response.headers.get('x-request-id') ?? '', /^req_/)
  }
})

test('other failures in this form', async () => {
  const failing = await startService(
    createStubEngine(async () => engineFailed('Gone.')),
    { maxRequestsPerMinute: 2 },
  )
  const get = await fetch(`${service.url}${path}`)
  const cases: ReadonlyArray<readonly [Response, number, Record<string, unknown>]> = [
    [
      await ask({ ...valid, model: 'gpt-9' }),
      404,
      { type: 'invalid_request_error', code: 'model_not_found' },
    ],
    [get, 405, { type: 'invalid_request_error', code: 'method_not_allowed' }],
    [
      await ask(valid, { authorization: 'Bearer wrong' }),
      401,
      { type: 'invalid_request_error', code: 'invalid_api_key' },
    ],
    [
      await ask(valid, { 'content-type': 'text/plain' }),
      415,
      { type: 'invalid_request_error', code: 'unsupported_media_type' },
    ],
    [await post(failing.url, valid, {}, path), 502, { type: 'server_error', code: 'engine_error' }],
    [await post(failing.url, valid, {}, path), 502, { type: 'server_error', code: 'engine_error' }],
    [
      await post(failing.url, valid, {}, path),
      429,
      { type: 'requests', code: 'rate_limit_exceeded' },
    ],
  ]
  for (const [response, status, expected] of cases) {
    const { error } = (await response.json()) as { error: Record<string, unknown> }
    assert.is(response.status, status)
    assert.equal(Object.keys(error), ['message', 'type', 'param', 'code'])
    assert.equal({ type: error.type, code: error.code }, expected)
  }
  assert.is(get.headers.get('allow'), 'POST')
  await failing.stop()
})

test('a document of this form under the other routes is a 400 that names this one', async () => {
  for (const other of ['/v1/questions', '/v1/systemone']) {
    const response = await post(service.url, valid, {}, other)
    assert.is(response.status, 400)
    assert.equal(await response.json(), {
      detail: {
        error_type: 'api_usage_error',
        message: 'A document of this form belongs to POST /v1/decisions',
      },
    })
  }
})

test('one model list for clients of every kind', async () => {
  const lexical = await startService(createLexicalEngine())
  const response = await fetch(`${lexical.url}/v1/models`, {
    headers: { authorization: 'Bearer k' },
  })
  const id = response.headers.get('x-service-request-id')
  for (const name of ['x-request-id', 'x-typesafe-request-id'])
    assert.is(response.headers.get(name), id)
  const list = (await response.json()) as Record<string, ReadonlyArray<Record<string, unknown>>>
  assert.is(list.object, 'list')
  assert.equal(
    list.models?.map(({ name }) => name),
    ['svc-latest', 'svc-lexical-1'],
  )
  assert.equal(list.data?.[1], {
    id: 'svc-lexical-1',
    object: 'model',
    created: 1793491200,
    owned_by: 'svc',
  })
  await lexical.stop()
})

test.run()
