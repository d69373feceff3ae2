import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  AuthError,
  type CallOptions,
  type ClientOptions,
  ConnectionError,
  choice,
  createClient,
  InvalidResponseError,
  noul,
  RateLimitError,
  RequestError,
  ServerError,
  score,
  TypedQuestionsError,
  UsageError,
  ValidationError,
} from '../../lib/library'
import { closeAfterEach } from '../support/servers'
import { createResponseBody, startServiceAndClient } from './scripted-service'

const test = suite('library/client')
closeAfterEach(test)

const questions = {
  billing: noul('Is this about a bill?', { true: 'money is named' }),
  tone: choice('What is the tone?', ['calm', 'angry']),
  urgency: score('How urgent?', ['not at all', 'somewhat', 'very']),
}

/** Answers to the questions, as the service returns them. */
const answers = {
  billing: { type: 'noul', noul: 0.97 },
  tone: {
    type: 'choice',
    choice: 'angry',
    confidence: 0.6,
    probabilities: { calm: 0.2, angry: 0.8 },
  },
  urgency: {
    type: 'score',
    score: 1.4,
    confidence: 0.5,
    legend: { 0: 'not at all', 1: 'somewhat', 2: 'very' },
    probabilities: { 0: 0.1, 1: 0.4, 2: 0.5 },
  },
}

const answeredReply = { body: createResponseBody(answers) }

/** Starts a service that answers every request, and a client. */
const startAnswering = () => startServiceAndClient(() => answeredReply)

/** Starts a service that never responds, and a client. */
const startSilent = () => startServiceAndClient(() => undefined)

/** Returns the error that a promise rejects with. */
const catchError = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.unreachable('the promise resolved'),
    (error: unknown) => error,
  )

test('sends the questions in the form of the service', async () => {
  const { client, requests } = await startAnswering()
  await client.ask({ text: 'I was charged twice.' }, questions)
  assert.is(requests[0]?.path, '/v1/questions')
  assert.equal(JSON.parse(requests[0]?.body ?? ''), {
    model: 'svc-latest',
    state: { text: 'I was charged twice.' },
    questions: {
      billing: {
        type: 'noul',
        instructions: 'Is this about a bill?',
        criteria: { true: 'money is named' },
      },
      tone: {
        type: 'choice',
        instructions: 'What is the tone?',
        criteria: { calm: null, angry: null },
      },
      urgency: {
        type: 'score',
        instructions: 'How urgent?',
        criteria: ['not at all', 'somewhat', 'very'],
      },
    },
  })
})

test('returns answers of every type', async () => {
  const { client } = await startAnswering()
  const { json: _, ...response } = await client.ask('x', questions)
  assert.equal(JSON.parse(JSON.stringify(response)), {
    model: 'svc-1.13.0',
    answers,
    request_id: 'req_1',
    usage: { input_tokens: 21, output_tokens: 4 },
  })
})

test('adds the most probable level to a score', async () => {
  const { client } = await startAnswering()
  const { urgency } = (await client.ask('x', questions)).answers
  assert.ok(urgency.type === 'score')
  assert.is(urgency.level, 2)
})

test('keeps the original text of numbers in json', async () => {
  const answerJson = '{"type":"noul","noul":0.50,"n":12345678901234567890}'
  const { client } = await startServiceAndClient(() => ({
    body: `{"model":"m","answers":{"q":${answerJson}}}`,
  }))
  const response = await client.ask('x', { q: noul('?') })
  const { q } = response.answers
  assert.is(q.json, answerJson)
  assert.ok(response.json.startsWith(`{"model":"m","answers":{"q":${answerJson}}`))
  assert.ok(q.type === 'noul')
  assert.is(q.noul, 0.5)
})

test('returns a refusal for a missing answer', async () => {
  const { client } = await startServiceAndClient(
    () => ({ body: createResponseBody({ a: { type: 'refusal', reason: 'no' } }) }),
    { dialect: 'systemone' },
  )
  const { a, b } = (await client.ask('x', { a: noul('?'), b: noul('?') })).answers
  assert.ok(a.type === 'refusal')
  assert.is(a.reason, 'no')
  assert.is(b.type, 'refusal')
})

const unfitAnswers = [
  { path: 'answers.billing.type', returned: { ...answers, billing: answers.tone } },
  {
    path: 'answers.tone.choice',
    returned: { ...answers, tone: { ...answers.tone, choice: 'loud' } },
  },
]
for (const { path, returned } of unfitAnswers)
  test(`rejects answers that do not fit the questions: ${path}`, async () => {
    const { client } = await startServiceAndClient(() => ({ body: createResponseBody(returned) }))
    const error = await catchError(client.ask('x', questions))
    assert.ok(error instanceof InvalidResponseError)
    assert.match(error.message, `"${path}"`)
  })

test('omits probabilities that do not cover all labels or levels', async () => {
  const body = createResponseBody({
    ...answers,
    tone: { ...answers.tone, probabilities: { angry: 0.8 } },
    urgency: { ...answers.urgency, probabilities: {} },
  })
  const { client } = await startServiceAndClient(() => ({ body }))
  const { tone, urgency } = (await client.ask('x', questions)).answers
  assert.is('probabilities' in tone, false)
  assert.match(tone.json, '"probabilities":{"angry":0.8}')
  assert.is('level' in urgency, false)
})

const errorCases = [
  { status: 401, errorClass: AuthError, kind: 'auth', attempts: 1 },
  { status: 429, errorClass: RateLimitError, kind: 'rate_limit', attempts: 3 },
  { status: 503, errorClass: ServerError, kind: 'server', attempts: 3 },
]
for (const { status, errorClass, kind, attempts } of errorCases)
  test(`throws ${errorClass.name} for status ${status}, with the key redacted`, async () => {
    const reply = {
      status,
      body: { detail: 'no demo-key' },
      headers: { 'retry-after-ms': '0', 'x-service-request-id': 'req_9' },
    }
    const { client } = await startServiceAndClient(() => reply)
    const error = await catchError(client.ask('x', questions))
    assert.ok(error instanceof errorClass)
    assert.ok(error instanceof TypedQuestionsError)
    assert.is(error.kind, kind)
    assert.is(error.status, status)
    assert.is(error.attempts, attempts)
    assert.is(error.requestId, 'req_9')
    assert.is(
      error.message,
      `POST /v1/questions returned ${status}: no [redacted] (request id req_9)`,
    )
  })

test('askResult returns an error of the service, and does not throw it', async () => {
  const { client } = await startServiceAndClient(() => ({ status: 401, body: {} }))
  const result = await client.askResult('x', questions)
  assert.ok(!result.ok)
  assert.ok(result.error instanceof AuthError)
})

const circularState: unknown[] = []
circularState.push(circularState)

type AskParameters = readonly [state: unknown, questions: object, options?: object]

const refusedCalls: ReadonlyArray<
  readonly [title: string, call: AskParameters, errorClass: typeof TypedQuestionsError]
> = [
  ['no question', ['x', {}], ValidationError],
  ['a choice without labels', ['x', { q: choice('?', []) }], ValidationError],
  ['an undefined state', [undefined, questions], UsageError],
  ['a circular state', [circularState, questions], UsageError],
  ['a negative timeout', ['x', questions, { timeout: -1 }], UsageError],
  ['an unknown option', ['x', questions, { retries: 1 }], UsageError],
  ['an unknown field of a question', ['x', { q: { type: 'noul', instruction: '?' } }], UsageError],
]
for (const [title, [state, asked, options], errorClass] of refusedCalls)
  test(`refuses ${title} without sending a request`, async () => {
    const { client, requests } = await startAnswering()
    const error = await catchError(
      client.ask(state, asked as typeof questions, options as CallOptions),
    )
    assert.ok(error instanceof errorClass, String(error))
    assert.is(error.attempts, 0)
    assert.equal(requests, [])
  })

test('choice refuses labels that JavaScript would reorder', () => {
  assert.throws(() => choice('?', ['2', '1']), /rising order/)
  assert.equal(Object.keys(choice('?', ['1', '2']).criteria), ['1', '2'])
})

const refusedOptions: ReadonlyArray<readonly [options: object, message: string]> = [
  [{}, 'no API key for http://127.0.0.1:8787: pass apiKey, and provider or baseUrl to ask'],
  [{ baseURL: 'http://h' }, 'unknown option "baseURL"; did you mean baseUrl?'],
  [{ apiKey: 'k', refusals: 'drop' }, 'refusals must be "return" or "throw"'],
  [{ provider: 'openai' }, 'no API key for openai: pass apiKey'],
  [{ provider: 'litellm', apiKey: 'k' }, 'litellm has no default address: pass baseUrl'],
  [{ baseUrl: 'ftp://h', apiKey: 'k' }, 'typesafe: invalid base URL "ftp://h": the scheme must'],
  [{ apiKey: 'k', maxRetries: 0.5 }, 'maxRetries must be a whole number from 0 on, got 0.5'],
]
for (const [options, message] of refusedOptions)
  test(`createClient refuses ${JSON.stringify(options)}`, () => {
    assert.throws(
      () => createClient(options as ClientOptions),
      (error: unknown) => error instanceof UsageError && error.message.startsWith(message),
    )
  })

test('calls a provider at its path, in its dialect and with its default model', async () => {
  const body = { decisions: [{ type: 'predicate', name: 'q', probability: 0.9 }] }
  const { client, requests } = await startServiceAndClient(() => ({ body }), {
    provider: 'openai',
  })
  await client.askResult('x', { q: noul('?') })
  assert.is(requests[0]?.path, '/v1/decisions')
  assert.is(JSON.parse(requests[0]?.body ?? '').model, 'gpt-6-luna')
})

test('rejects with the reason of the signal when it aborts', async () => {
  const { client } = await startSilent()
  const cancellation = new AbortController()
  const call = catchError(client.askResult('x', questions, { signal: cancellation.signal }))
  const reason = new Error('cancelled by the test')
  cancellation.abort(reason)
  assert.is(await call, reason)
})

test('rejects with an AbortError if the signal is already aborted', async () => {
  const { client } = await startSilent()
  const error = await catchError(client.ask('x', questions, { signal: AbortSignal.abort() }))
  assert.ok(error instanceof DOMException)
  assert.is(error.name, 'AbortError')
})

const fetchOptions: ReadonlyArray<readonly [title: string, options: ClientOptions]> = [
  ['its own fetch', {}],
  ['a fetch of the caller', { fetch }],
]
for (const [title, options] of fetchOptions)
  test(`does not follow a redirect with ${title}`, async () => {
    const reply = { status: 302, headers: { location: 'http://other.example/' }, body: '' }
    const { client } = await startServiceAndClient(() => reply, options)
    const error = await catchError(client.ask('x', questions))
    assert.match(String(error), 'redirect to http://other.example/')
  })

test('calls the service with a fetch of the caller', async () => {
  const { client, requests } = await startServiceAndClient(() => answeredReply, { fetch })
  assert.is((await client.ask('x', questions)).model, 'svc-1.13.0')
  assert.is(requests[0]?.headers.authorization, 'Bearer demo-key')
})

/** Creates a client with a fetch of the caller whose response has this body. */
const createClientWithBody = (body: () => AsyncIterable<unknown>) =>
  createClient({
    apiKey: 'k',
    maxRetries: 0,
    timeout: 50,
    fetch: async () => ({ status: 200, headers: new Headers(), body: body() }),
  })

test('accepts strings as the body of a fetch of the caller', async () => {
  const text = JSON.stringify(createResponseBody(answers))
  const client = createClientWithBody(async function* () {
    yield text.slice(0, 5)
    yield text.slice(5)
  })
  assert.is((await client.ask('x', questions)).model, 'svc-1.13.0')
})

test('rejects a number in the body of a fetch of the caller', async () => {
  const client = createClientWithBody(async function* () {
    yield 5
  })
  const error = await catchError(client.ask('x', questions))
  assert.ok(error instanceof ConnectionError)
  assert.ok(error.cause instanceof TypeError)
})

const neverSettle = new Promise<never>(() => undefined)

const clientsOfSlowFetch = [
  {
    title: 'never responds',
    client: createClient({ apiKey: 'k', maxRetries: 0, timeout: 20, fetch: () => neverSettle }),
  },
  {
    title: 'never ends its body',
    client: createClientWithBody(async function* () {
      yield await neverSettle
    }),
  },
]
for (const { title, client } of clientsOfSlowFetch)
  test(`times out if a fetch of the caller ignores its signal and ${title}`, async () => {
    const error = await catchError(client.ask('x', questions))
    assert.ok(error instanceof ConnectionError)
    assert.is(error.code, 'ETIMEDOUT')
  })

test('times out if the service does not respond', async () => {
  const { client } = await startSilent()
  const error = await catchError(client.ask('x', questions, { timeout: 20, maxRetries: 0 }))
  assert.match(String(error), 'request timed out after 20ms')
})

test('throws refusals with the option refusals: "throw"', async () => {
  const body = createResponseBody({ q: { type: 'refusal', reason: 'no' } })
  const { client } = await startServiceAndClient(() => ({ body }), {
    dialect: 'systemone',
    refusals: 'throw',
  })
  const error = await catchError(client.ask('x', { q: noul('?') }))
  assert.ok(error instanceof RequestError)
  assert.is(error.message, 'the service refused to answer "q": no')
})

test('types answers as no refusals with the option refusals: "throw"', async () => {
  const body = createResponseBody({ q: { type: 'noul', noul: 0.5 } })
  const { service } = await startServiceAndClient(() => ({ body }))
  const client = createClient({ baseUrl: service.url, apiKey: 'k', refusals: 'throw' })
  const { q } = (await client.ask('x', { q: noul('?') })).answers
  assert.is(q.noul, 0.5)
})

test('a refused connection has its code, its cause and the number of attempts', async () => {
  const client = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', maxRetries: 0 })
  const error = await catchError(client.ask('x', questions))
  assert.ok(error instanceof ConnectionError)
  assert.is(error.attempts, 1)
  assert.is(error.code, 'ECONNREFUSED')
  assert.is(Object(error.cause).code, 'ECONNREFUSED')
})

test('a rate limit has the wait that the service requests, in milliseconds', async () => {
  const reply = { status: 429, headers: { 'retry-after': '7' }, body: {} }
  const { client } = await startServiceAndClient(() => reply)
  const error = await catchError(client.ask('x', questions, { maxRetries: 0 }))
  assert.ok(error instanceof RateLimitError)
  assert.is(error.retryAfter, 7000)
})

test('lists models', async () => {
  const body = { models: [{ name: 'svc-1', n: 1 }] }
  const { client, requests } = await startServiceAndClient(() => ({ body }))
  assert.equal(await client.models(), body)
  assert.is(requests[0]?.path, '/v1/models')
})

test('sends only the headers of the specification', async () => {
  const { client, service, requests } = await startServiceAndClient((_, index) =>
    index === 0 ? answeredReply : { body: { models: [] } },
  )
  await client.ask('x', questions)
  await client.models()
  const [askRequest, modelsRequest] = requests
  assert.ok(askRequest && modelsRequest)
  const { 'user-agent': askUserAgent, ...askHeaders } = askRequest.headers
  const { 'user-agent': modelsUserAgent, ...modelsHeaders } = modelsRequest.headers
  const commonHeaders = {
    authorization: 'Bearer demo-key',
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    host: new URL(service.url).host,
    connection: 'keep-alive',
  }
  assert.equal(askHeaders, {
    ...commonHeaders,
    'content-type': 'application/json',
    'content-length': String(askRequest.body.length),
  })
  assert.equal(modelsHeaders, commonHeaders)
  assert.match(askUserAgent ?? '', /^typed-questions\/\d/)
  assert.is(modelsUserAgent, askUserAgent)
})

test('many calls at once cause no warning of Node about leaking listeners', async () => {
  const { client } = await startAnswering()
  const warnings: string[] = []
  const collectWarning = ({ message }: Error) => warnings.push(message)
  process.on('warning', collectWarning)
  await Promise.all(Array.from({ length: 30 }, () => client.ask('x', questions)))
  // Node emits warnings in a later turn of the event loop.
  await new Promise(setImmediate)
  process.off('warning', collectWarning)
  assert.equal(warnings, [])
})

test('two calls, one after the other, share a connection', async () => {
  const { client, service } = await startAnswering()
  await client.ask('x', questions)
  await client.ask('x', questions)
  assert.is(service.connections(), 1)
})

test('sends any characters of a state unchanged', async () => {
  const state = { name: 'Grüße aus 北京 👋', loneSurrogate: '\ud800' }
  const { client, requests } = await startAnswering()
  await client.ask(state, questions)
  const [request] = requests
  assert.ok(request)
  assert.equal(JSON.parse(request.body).state, state)
  assert.is(request.headers['content-length'], String(Buffer.byteLength(request.body)))
})

test.run()
