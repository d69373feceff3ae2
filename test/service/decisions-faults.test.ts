import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { post, type RunningService, startService } from './run-service'

const test = suite("service: invalid requests to OpenAI's decisions")
let service: RunningService

test.before(async () => {
  service = await startService()
})
test.after(() => service.stop())

const predicate = { type: 'predicate', instructions: 'Is it late?' }
const validRequest = { model: 'svc-latest', input: 'It is late.', questions: [predicate] }

/** Creates a request with one choice between these values. */
const createChoiceRequest = (...values: ReadonlyArray<unknown>) => ({
  ...validRequest,
  questions: [{ type: 'choice', instructions: '?', choices: values.map((value) => ({ value })) }],
})

const createRequest = (...questions: ReadonlyArray<unknown>) => ({ ...validRequest, questions })

const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }

const invalidRequests: ReadonlyArray<{
  readonly document: unknown
  readonly message: RegExp
  readonly param: string | null
  readonly code: string | null
}> = [
  { document: '{', message: /^invalid request JSON: /, param: null, code: null },
  {
    document: [],
    message: /^Invalid body: must be an object\.$/,
    param: null,
    code: 'invalid_type',
  },
  {
    document: { ...validRequest, model: undefined },
    message: /^Missing required parameter: 'model'\.$/,
    param: 'model',
    code: 'missing_required_parameter',
  },
  {
    document: { ...validRequest, input: 1 },
    message: /^Invalid 'input': must be a string or an array\.$/,
    param: 'input',
    code: 'invalid_type',
  },
  {
    document: { ...validRequest, temperature: 1 },
    message: /^Unknown parameter: 'temperature'\.$/,
    param: 'temperature',
    code: 'unknown_parameter',
  },
  {
    document: createRequest(),
    message: /at least one question/,
    param: 'questions',
    code: 'array_below_min_length',
  },
  {
    document: createRequest({ ...predicate, criteria: {} }),
    message: /^Unknown parameter: 'questions\[0\]\.criteria'\.$/,
    param: 'questions[0].criteria',
    code: 'unknown_parameter',
  },
  {
    document: createRequest({ type: 'predicate' }),
    message: /^Missing required/,
    param: 'questions[0].instructions',
    code: 'missing_required_parameter',
  },
  {
    document: createRequest({ type: 'noul', instructions: '?' }),
    message: /must be one of predicate, choice, score/,
    param: 'questions[0].type',
    code: 'invalid_value',
  },
  {
    document: createRequest({ ...predicate, name: 'a' }, { ...predicate, name: 'a' }),
    message: /must be unique/,
    param: 'questions[1].name',
    code: 'invalid_value',
  },
  {
    document: createRequest(...Array(401).fill(predicate)),
    message: /a request may hold 400 questions/,
    param: 'questions',
    code: 'array_above_max_length',
  },
  {
    document: createRequest({ type: 'score', instructions: '?', levels: [{}] }),
    message: /^Missing required/,
    param: 'questions[0].levels[0].label',
    code: 'missing_required_parameter',
  },
  {
    document: createChoiceRequest('a'),
    message: /needs between 2 and 255, got 1/,
    param: 'questions[0].choices',
    code: 'array_below_min_length',
  },
  {
    document: createChoiceRequest(...Array.from({ length: 256 }, (_, i) => `c${i}`)),
    message: /got 256/,
    param: 'questions[0].choices',
    code: 'array_above_max_length',
  },
  {
    document: createChoiceRequest('a', 'a'),
    message: /values must be unique/,
    param: 'questions[0].choices',
    code: 'invalid_value',
  },
  {
    document: createChoiceRequest('a', 1),
    message: /must be a string or a boolean/,
    param: 'questions[0].choices[1].value',
    code: 'invalid_type',
  },
  {
    document: createRequest({
      type: 'choice',
      instructions: '?',
      choices: [{ value: 'a' }, { value: 'b', description: null }],
    }),
    message: /must be a string\.$/,
    param: 'questions[0].choices[1].description',
    code: 'invalid_type',
  },
  {
    document: createRequest({
      type: 'score',
      instructions: '?',
      levels: [{ label: 'a', description: null }, { label: 'b' }],
    }),
    message: /must be a string\.$/,
    param: 'questions[0].levels[0].description',
    code: 'invalid_type',
  },
  {
    document: { ...validRequest, input: [{ role: 'tool', content: 'x' }] },
    message: /must be one of user, developer, system, assistant\.$/,
    param: 'input[0].role',
    code: 'invalid_value',
  },
  {
    document: { ...validRequest, input: [{ role: 'user', content: [image] }] },
    message: /^images are not supported by this engine$/,
    param: null,
    code: null,
  },
  {
    document: {
      ...validRequest,
      input: [{ role: 'user', content: [{ ...image, image_url: 'https://a.example/b.png' }] }],
    },
    message: /must be a data: URL with a PNG, JPEG or WebP image in base64\.$/,
    param: 'input[0].content[0].image_url',
    code: 'invalid_value',
  },
  ...(
    [
      ['user', { type: 'output_text', text: 'a' }, 'input_text, input_json, input_image'],
      ['assistant', { type: 'input_text', text: 'a' }, 'output_text, refusal'],
      ['system', { type: 'input_json', data: {} }, 'input_text'],
      ['developer', { type: 'refusal', refusal: 'a' }, 'input_text'],
    ] as const
  ).map(([role, part, allowed]) => ({
    document: { ...validRequest, input: [{ role, content: [part] }] },
    message: new RegExp(`must be one of ${allowed}\\.$`),
    param: 'input[0].content[0].type',
    code: 'invalid_value',
  })),
  ...['text', [1], [{}, 'text']].map((data) => ({
    document: {
      ...validRequest,
      input: [{ role: 'user', content: [{ type: 'input_json', data }] }],
    },
    message: /must be an object or an array of objects\.$/,
    param: 'input[0].content[0].data',
    code: 'invalid_type',
  })),
  {
    document: { ...validRequest, input: [{ role: 'user', content: 'a', phase: 'commentary' }] },
    message: /^Unknown parameter: 'input\[0\]\.phase'\.$/,
    param: 'input[0].phase',
    code: 'unknown_parameter',
  },
  {
    document: createRequest({ type: 'predicate', instructions: [image] }),
    message: /an image must be a part of the input/,
    param: 'questions[0].instructions[0].type',
    code: 'invalid_value',
  },
  {
    document: { model: 'm', state: 1, questions: {} },
    message: /belongs to POST \/v1\/questions$/,
    param: null,
    code: null,
  },
]

for (const { document, message, param, code } of invalidRequests)
  test(`answers 400 with the param ${param} and the code ${code}: ${message.source}`, async () => {
    const response = await post(service.url, document, { path: '/v1/decisions' })
    const { error } = (await response.json()) as { error: Record<string, unknown> }
    const { message: actualMessage, ...otherMembers } = error
    assert.is(response.status, 400)
    assert.match(String(actualMessage), message)
    assert.equal(otherMembers, { type: 'invalid_request_error', param, code })
    assert.match(response.headers.get('x-request-id') ?? '', /^req_/)
  })

test.run()
