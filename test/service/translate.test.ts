import fc from 'fast-check'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dialectForm } from '../../lib/client/dialects/service-form'
import { loadDialect } from '../../lib/client/providers/destination'
import { encode } from '../../lib/codec/json/draft'
import { type AskRequest, decodeRequest } from '../../lib/codec/request'
import { encodeResponse } from '../../lib/codec/response'
import { nodeFiles } from '../../lib/runtime/node/files'
import { createEmbeddedEngine } from '../../lib/service/engines/embedded/open-embedded'
import { closeAfterEach, readRequestBody, startHttpServer } from '../support/servers'
import { post, readJson, startService, startWithUpstream } from './run-service'

const test = suite('service: callers and upstream services with different dialects')
closeAfterEach(test)

const dialectNames = ['questions', 'systemone', 'decisions'] as const
type DialectName = (typeof dialectNames)[number]

/** Asks the service at `url` in a dialect, as `svc ask --dialect` does. Returns the answers in svc's own form. */
const askInDialect = async (
  name: DialectName,
  url: string,
  request: AskRequest,
): Promise<unknown> => {
  const dialect = await loadDialect(name)
  const modelRequest = { request, model: 'svc-latest', service: name, form: dialectForm }
  const encodeResult = dialect.encodeRequest(modelRequest)
  if (E.isLeft(encodeResult)) throw new Error(JSON.stringify(encodeResult.left))
  const response = await post(url, encode(encodeResult.right).toString(), { path: dialect.askPath })
  const body = Buffer.from(await response.arrayBuffer())
  assert.is(response.status, 200, body.toString())
  const decodeResult = dialect.decodeResponse(modelRequest, {
    body,
    requestId: '',
    redactText: (text: string) => text,
  })
  if (E.isLeft(decodeResult)) throw new Error(JSON.stringify(decodeResult.left))
  return JSON.parse(encode({ answers: encodeResponse(decodeResult.right).answers }).toString())
}

/** Any text. The constants are words that the engine recognizes, and names that JavaScript objects treat in a special way. */
const anyText = fc.oneof(
  fc.constantFrom(
    'charged twice',
    'calm',
    'Fix it now.',
    '__proto__',
    '10',
    'toString',
    '\u0000"\\',
  ),
  fc.string({ unit: 'grapheme', minLength: 1 }),
)
/** A yes/no question. */
const anyNoul = fc.record({ type: fc.constant('noul'), instructions: anyText })
const anyScore = fc.record({
  type: fc.constant('score'),
  instructions: anyText,
  criteria: fc.array(anyText, { minLength: 2, maxLength: 10 }),
})
const anyChoice = fc.record({
  type: fc.constant('choice'),
  instructions: anyText,
  criteria: fc
    .uniqueArray(fc.tuple(anyText, fc.option(anyText)), {
      selector: ([label]) => label,
      minLength: 2,
      maxLength: 6,
    })
    .map((entries) => new Map(entries)),
})

/** Formats JSON. The members of a map keep their order, which an object changes for names such as `10`. */
const formatJson = (value: unknown): string => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return JSON.stringify(value)
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  const members = entries.map(([name, member]) => `${JSON.stringify(name)}:${formatJson(member)}`)
  return `{${members.join(',')}}`
}

const anyQuestions = fc.uniqueArray(fc.tuple(anyText, fc.oneof(anyNoul, anyChoice, anyScore)), {
  selector: ([id]) => id,
  minLength: 1,
  maxLength: 5,
})
const anyRequest = fc
  .record({ state: anyText, questions: anyQuestions })
  .map(({ state, questions }) => {
    const document = formatJson({ state, questions: new Map(questions) })
    const decodeResult = decodeRequest(Buffer.from(document))
    if (E.isLeft(decodeResult)) throw new Error(JSON.stringify(decodeResult.left))
    return decodeResult.right
  })

test('property: a request in any dialect gets the same answers, also through a service that asks in another dialect', async () => {
  const upstream = await startService(createEmbeddedEngine(nodeFiles))
  // The upstream service itself, and for each dialect a service that asks the upstream service in this dialect.
  const urls = [upstream.url]
  for (const dialect of dialectNames) {
    const service = await startWithUpstream({ url: upstream.url, dialect })
    urls.push(service.url)
  }
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      const expected = await askInDialect('questions', upstream.url, request)
      for (const name of dialectNames)
        for (const url of urls) assert.equal(await askInDialect(name, url, request), expected)
    }),
    { numRuns: 25 },
  )
})

const noul = { type: 'noul', instructions: 'Late?' }
const systemoneRequest = { state: 'x', questions: { a: noul, b: noul } }
const decisionsRequest = {
  model: 'svc-latest',
  input: 'x',
  questions: [
    { type: 'predicate', name: 'a', instructions: 'Late?' },
    { type: 'predicate', name: 'b', instructions: 'Late?' },
  ],
}

interface ReceivedRequest {
  readonly url: string | undefined
  readonly key: unknown
  readonly body: unknown
}

/** Starts an upstream service that answers every request with `body`. Returns its address and the requests received so far. */
const startUpstream = async (body: unknown, status = 200, headers = {}) => {
  const received: ReceivedRequest[] = []
  const { url } = await startHttpServer(async (request, response) => {
    const key = request.headers['x-goog-api-key'] ?? request.headers.authorization
    const text = String(await readRequestBody(request))
    received.push({ url: request.url, key, body: text === '' ? '' : JSON.parse(text) })
    response.writeHead(status, headers).end(JSON.stringify(body))
  })
  return { url, received }
}

// Each document has an answer to the question `a` and a refusal of the question `b`.
const decisionsDocument = {
  model: 'gpt',
  answers: [
    { type: 'predicate', name: 'a', probability: 0.5 },
    { type: 'refusal', name: 'b' },
  ],
}
const questionsDocument = {
  model: 'm',
  usage: {},
  answers: { a: { type: 'noul', noul: 0.5 }, b: { type: 'refusal', reason: 'no' } },
}

for (const { dialect, document } of [
  { dialect: 'decisions', document: decisionsDocument },
  { dialect: 'questions', document: questionsDocument },
] as const) {
  test(`passes a refusal in ${dialect} on to /v1/questions`, async () => {
    const upstream = await startUpstream(document)
    const service = await startWithUpstream({ url: upstream.url, dialect })
    const response = await post(service.url, systemoneRequest)
    assert.is(response.status, 200)
    const { answers } = (await response.json()) as { answers: Record<string, { type: string }> }
    assert.is(answers.b?.type, 'refusal')
  })

  test(`passes a refusal in ${dialect} on to /v1/decisions`, async () => {
    const upstream = await startUpstream(document)
    const service = await startWithUpstream({ url: upstream.url, dialect })
    const response = await post(service.url, decisionsRequest, { path: '/v1/decisions' })
    const { answers } = (await response.json()) as { answers: ReadonlyArray<unknown> }
    assert.equal(answers[1], { type: 'refusal', name: 'b' })
  })

  test(`passes a refusal in ${dialect} on to /v1/systemone`, async () => {
    const upstream = await startUpstream(document)
    const service = await startWithUpstream({ url: upstream.url, dialect })
    const response = await post(service.url, systemoneRequest, { path: '/v1/systemone' })
    assert.is(response.status, 200)
    const { answers } = (await response.json()) as { answers: Record<string, { type: string }> }
    assert.is(answers.b?.type, 'refusal')
  })
}

test('asks Cloudflare with the model in the path, and unwraps its answer', async () => {
  const cloudflare = await startUpstream({
    result: { model: 'clef', answers: { a: { type: 'noul', noul: 0.9 } }, usage: {} },
    success: true,
  })
  const service = await startWithUpstream({ url: cloudflare.url, provider: 'cloudflare' })
  const request = { model: 'clef', state: 'x', questions: { a: noul } }
  const response = await post(service.url, request, { path: '/v1/systemone' })
  const { answers } = (await response.json()) as Record<string, unknown>
  assert.equal(answers, { a: { type: 'noul', noul: 0.9 } })
  assert.equal(cloudflare.received, [
    { url: '/ai/run/@cf/cloudflare/clef', key: 'Bearer engine-key', body: request },
  ])
  const models = await fetch(`${service.url}/v1/models`)
  assert.equal(await models.json(), { models: [], object: 'list', data: [] })
  assert.is(cloudflare.received.length, 1)
})

test('asks Gemini in its dialect, with its key header and model, and translates its answers', async () => {
  const gemini = await startUpstream({
    answers: { a: { type: 'noul', noul: 0.9 }, b: { type: 'noul', noul: 0.1 } },
  })
  const service = await startWithUpstream({ url: gemini.url, provider: 'gemini' })
  const response = await post(service.url, decisionsRequest, { path: '/v1/decisions' })
  const { model, answers } = (await response.json()) as Record<string, unknown>
  assert.is(model, 'gemini-decision-1')
  assert.equal(answers, [
    { type: 'predicate', name: 'a', probability: 0.9 },
    { type: 'predicate', name: 'b', probability: 0.1 },
  ])
  assert.equal(gemini.received, [
    {
      url: '/v1beta/decisions',
      key: 'engine-key',
      body: { model: 'gemini-decision-1', input: 'x', questions: { a: noul, b: noul } },
    },
  ])
})

test('translates a prompt that Gemini blocks into refusals', async () => {
  const gemini = await startUpstream({ prompt_feedback: { block_reason: 'safety' } }, 400)
  const service = await startWithUpstream({ url: gemini.url, provider: 'gemini' })
  const response = await post(service.url, systemoneRequest)
  assert.match(await response.text(), /"b":\{"type":"refusal"/)
})

const rateLimitError = {
  message: 'Slow down.',
  type: 'requests',
  param: null,
  code: 'rate_limit_exceeded',
}

const failureCases: ReadonlyArray<{
  readonly title: string
  /** The status and body of the upstream service. */
  readonly upstreamStatus: number
  readonly upstreamBody: object
  /** The status, error type and message with which svc answers. */
  readonly status: number
  readonly errorType: string
  readonly message: RegExp
}> = [
  {
    title: 'a 429',
    upstreamStatus: 429,
    upstreamBody: { error: rateLimitError },
    status: 429,
    errorType: 'rate_limit_error',
    message: /Slow down/,
  },
  {
    title: 'a 404',
    upstreamStatus: 404,
    upstreamBody: { error: { message: 'No such model.' } },
    status: 404,
    errorType: 'not_found',
    message: /No such model/,
  },
  {
    title: 'a refused key',
    upstreamStatus: 401,
    upstreamBody: { error: rateLimitError },
    status: 502,
    errorType: 'engine_auth',
    message: /refused the API key of this one \(SERVICE_ENGINE_API_KEY\)/,
  },
  {
    title: 'a 429 inside a 200',
    upstreamStatus: 200,
    upstreamBody: { error: { ...rateLimitError, code: 429 } },
    status: 429,
    errorType: 'rate_limit_error',
    message: /Slow down/,
  },
  {
    title: 'an answer to no question',
    upstreamStatus: 200,
    upstreamBody: { answers: [] },
    status: 502,
    errorType: 'engine_error',
    message: /no usable answer/,
  },
  {
    title: 'a 500 without a message',
    upstreamStatus: 500,
    upstreamBody: {},
    status: 500,
    errorType: 'engine_error',
    // Any text.
    message: /./,
  },
]

for (const { title, upstreamStatus, upstreamBody, status, errorType, message } of failureCases)
  test(`translates a failure of the upstream service into ${status} ${errorType}: ${title}`, async () => {
    const upstream = await startUpstream(upstreamBody, upstreamStatus, { 'retry-after': '7' })
    const service = await startWithUpstream({ url: upstream.url, dialect: 'decisions' })
    const response = await post(service.url, systemoneRequest)
    assert.is(response.status, status)
    const { detail } = await readJson(response)
    assert.is(detail.error_type, errorType)
    assert.match(detail.message, message)
    if (status === 429) assert.is(response.headers.get('retry-after'), '7')
  })

test('answers 422 to a question that the upstream’s dialect cannot express, and sends nothing', async () => {
  const upstream = await startUpstream(decisionsDocument)
  const service = await startWithUpstream({ url: upstream.url, provider: 'openai' })
  const response = await post(service.url, { state: 'x', questions: { a: { type: 'noul' } } })
  assert.is(response.status, 422)
  assert.match(await response.text(), /openai needs instructions/)
  assert.equal(upstream.received, [])
})

test.run()
