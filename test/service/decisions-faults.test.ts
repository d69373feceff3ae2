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
const valid = { model: 'svc-latest', input: 'It is late.', questions: [predicate] }

/** Creates a request with one choice between these values. */
const createChoiceRequest = (...values: ReadonlyArray<unknown>) => ({
  ...valid,
  questions: [{ type: 'choice', instructions: '?', choices: values.map((value) => ({ value })) }],
})
/** Creates a request with these questions. */
const createRequest = (...questions: ReadonlyArray<unknown>) => ({ ...valid, questions })

const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
const invalidRequests: ReadonlyArray<
  readonly [document: unknown, message: RegExp, param: string | null, code: string | null]
> = [
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
  [createRequest(), /at least one question/, 'questions', 'array_below_min_length'],
  [
    createRequest({ ...predicate, criteria: {} }),
    /^Unknown parameter: 'questions\[0\]\.criteria'\.$/,
    'questions[0].criteria',
    'unknown_parameter',
  ],
  [
    createRequest({ type: 'predicate' }),
    /^Missing required/,
    'questions[0].instructions',
    'missing_required_parameter',
  ],
  [
    createRequest({ type: 'noul', instructions: '?' }),
    /must be one of predicate, choice, score/,
    'questions[0].type',
    'invalid_value',
  ],
  [
    createRequest({ ...predicate, name: 'a' }, { ...predicate, name: 'a' }),
    /must be unique/,
    'questions[1].name',
    'invalid_value',
  ],
  [
    createRequest(...Array(401).fill(predicate)),
    /a request may hold 400 questions/,
    'questions',
    'array_above_max_length',
  ],
  [
    createRequest({ type: 'score', instructions: '?', levels: [{}] }),
    /^Missing required/,
    'questions[0].levels[0].label',
    'missing_required_parameter',
  ],
  [
    createChoiceRequest('a'),
    /needs between 2 and 255, got 1/,
    'questions[0].choices',
    'array_below_min_length',
  ],
  [
    createChoiceRequest(...Array.from({ length: 256 }, (_, i) => `c${i}`)),
    /got 256/,
    'questions[0].choices',
    'array_above_max_length',
  ],
  [createChoiceRequest('a', 'a'), /values must be unique/, 'questions[0].choices', 'invalid_value'],
  [
    createChoiceRequest('a', 1),
    /must be a string or a boolean/,
    'questions[0].choices[1].value',
    'invalid_type',
  ],
  [
    createRequest({
      type: 'choice',
      instructions: '?',
      choices: [{ value: 'a' }, { value: 'b', description: null }],
    }),
    /must be a string\.$/,
    'questions[0].choices[1].description',
    'invalid_type',
  ],
  [
    createRequest({
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
    createRequest({ type: 'predicate', instructions: [image] }),
    /an image must be a part of the input/,
    'questions[0].instructions[0].type',
    'invalid_value',
  ],
  [{ model: 'm', state: 1, questions: {} }, /belongs to POST \/v1\/questions$/, null, null],
]

for (const [document, message, param, code] of invalidRequests)
  test(`answers 400 with the param ${param} and the code ${code}: ${message.source}`, async () => {
    const response = await post(service.url, document, {}, '/v1/decisions')
    const { error } = (await response.json()) as { error: Record<string, unknown> }
    assert.is(response.status, 400)
    assert.match(String(error.message), message)
    assert.equal(
      { ...error, message: '' },
      { message: '', type: 'invalid_request_error', param, code },
    )
    assert.match(response.headers.get('x-request-id') ?? '', /^req_/)
  })

test.run()
