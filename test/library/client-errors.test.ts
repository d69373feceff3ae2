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
