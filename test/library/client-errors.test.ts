import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  AuthError,
  type CallOptions,
  type ClientOptions,
  ConnectionError,
  choice,
  createClient,
  RateLimitError,
  ServerError,
  TypedQuestionsError,
  UsageError,
  ValidationError,
} from '../../lib/library'
import { closeAfterEach } from '../support/servers'
import { answeredReply, questions } from './sample-answers'
import { catchError, startServiceAndClient } from './scripted-service'

const test = suite('library/client: errors')
closeAfterEach(test)

/** Starts a service that answers every request, and a client. */
const startAnswering = () => startServiceAndClient(() => answeredReply)

/** Starts a service that never responds, and a client. */
const startSilent = () => startServiceAndClient(() => undefined)

/** Error statuses, and the expected error. A request that is retried has three attempts: by default the client makes two retries. */
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

/** Arguments of `ask`. TypeScript would refuse some of them, so their types are wider here. A missing argument stands for a valid one. */
interface RefusedArguments {
  readonly title: string
  readonly state?: unknown
  readonly questions?: object
  readonly options?: object
  readonly errorClass: typeof TypedQuestionsError
}

/** A yes/no question (`noul`) with a misspelled field. */
const unknownField = { q: { type: 'noul', instruction: '?' } }

const refusedArguments: ReadonlyArray<RefusedArguments> = [
  { title: 'no question', questions: {}, errorClass: ValidationError },
  {
    title: 'a choice without labels',
    questions: { q: choice('?', []) },
    errorClass: ValidationError,
  },
  { title: 'an undefined state', state: undefined, errorClass: UsageError },
  { title: 'a circular state', state: circularState, errorClass: UsageError },
  { title: 'a negative timeout', options: { timeout: -1 }, errorClass: UsageError },
  { title: 'an unknown option', options: { retries: 1 }, errorClass: UsageError },
  { title: 'an unknown field of a question', questions: unknownField, errorClass: UsageError },
]
for (const { title, errorClass, ...changes } of refusedArguments)
  test(`refuses ${title} without sending a request`, async () => {
    const { client, requests } = await startAnswering()
    const args = { state: 'x', questions, options: {}, ...changes }
    const error = await catchError(
      client.ask(args.state, args.questions as typeof questions, args.options as CallOptions),
    )
    assert.ok(error instanceof errorClass, String(error))
    assert.is(error.attempts, 0)
    assert.equal(requests, [])
  })

test('choice refuses labels that JavaScript would reorder', () => {
  assert.throws(() => choice('?', ['2', '1']), /rising order/)
})

test('choice keeps the order of labels that are whole numbers', () => {
  assert.equal(Object.keys(choice('?', ['1', '2']).criteria), ['1', '2'])
})

interface RefusedOptions {
  readonly options: object
  /** The beginning of the message. */
  readonly message: string
}

const refusedOptions: ReadonlyArray<RefusedOptions> = [
  {
    options: { baseUrl: 'https://svc.example' },
    message: 'no API key for https://svc.example: pass apiKey',
  },
  { options: { baseURL: 'http://h' }, message: 'unknown option "baseURL"; did you mean baseUrl?' },
  { options: { apiKey: 'k', refusals: 'drop' }, message: 'refusals must be "return" or "throw"' },
  { options: { provider: 'openai' }, message: 'no API key for openai: pass apiKey' },
  {
    options: { provider: 'litellm', apiKey: 'k' },
    message: 'litellm has no default address: pass baseUrl',
  },
  {
    options: { provider: 'cloudflare', apiKey: 'k' },
    message: 'cloudflare needs the id of your account: pass baseUrl',
  },
  {
    options: { baseUrl: 'ftp://h', apiKey: 'k' },
    message: 'typesafe: invalid base URL "ftp://h": the scheme must',
  },
  {
    options: { apiKey: 'k', maxRetries: 0.5 },
    message: 'maxRetries must be a whole number from 0 on, got 0.5',
  },
]

test('createClient needs no key for an address of this machine', () => {
  for (const options of [{}, { baseUrl: 'http://localhost:1' }, { baseUrl: 'http://[::1]:1' }])
    assert.type(createClient(options).ask, 'function')
})

for (const { options, message } of refusedOptions)
  test(`createClient refuses ${JSON.stringify(options)}`, () => {
    assert.throws(
      () => createClient(options as ClientOptions),
      (error: unknown) => error instanceof UsageError && error.message.startsWith(message),
    )
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

test('times out if the service does not respond', async () => {
  const { client } = await startSilent()
  const error = await catchError(client.ask('x', questions, { timeout: 20, maxRetries: 0 }))
  assert.match(String(error), 'request timed out after 20ms')
})

test('a refused connection has its code, its cause and the number of attempts', async () => {
  // No program listens on port 1.
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

test.run()
