import {
  APIError,
  APITimeoutError,
  AuthenticationError,
  BadRequestError,
  choice,
  InternalServerError,
  NotFoundError,
  noul,
  RateLimitError,
  score,
  TypeSafeClient,
  UnprocessableEntityError,
} from '@typesafe-ai/sdk'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeFiles } from '../../lib/runtime/node/files'
import { engineFailed } from '../../lib/service/contract/problem'
import { createEmbeddedEngine } from '../../lib/service/engines/embedded/open-embedded'
import { closeAfterEach } from '../support/servers'
import { until } from '../support/until'
import {
  chooseFirstOptions,
  createStubEngine,
  openUpstream,
  type RunningService,
  startService,
} from './run-service'

const test = suite('service: the published JavaScript SDK, unchanged')
closeAfterEach(test)
let service: RunningService

test.before(async () => {
  service = await startService(createEmbeddedEngine(nodeFiles), { keys: ['k'] })
})
test.after(() => service.stop())

/** Creates a client of the SDK with the key `k`. */
const createClient = (url: string, options: ConstructorParameters<typeof TypeSafeClient>[0] = {}) =>
  new TypeSafeClient({ baseURL: url, apiKey: 'k', logLevel: 'off', ...options })

/** Returns the error with which a call fails, or `undefined` if it succeeds. */
const catchError = async (work: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await work
    return undefined
  } catch (error) {
    return error
  }
}

/** A yes/no question. */
const questions = { a: noul('Is it about money?') }

test('asks questions of all three types, with the default model', async () => {
  const { data, requestId, response } = await createClient(service.url)
    .systemOne({
      state: { ticket: 'I was charged twice this month. Fix it now.' },
      questions: {
        billing: noul('Was the customer charged twice?', { true: 'charged twice', false: null }),
        tone: choice('What is the tone?', { calm: 'polite', angry: 'fix it now', other: null }),
        urgency: score('How urgent?', ['can wait', 'soon', { text: 'now' }]),
      },
    })
    .withResponse()
  assert.match(requestId ?? '', /^req_/)
  assert.is(response.headers.get('x-service-request-id'), requestId)
  assert.is(data.model, 'svc-embedded-1')
  assert.ok(data.answers.billing.noul > 0.5)
  assert.is(data.answers.tone.choice, 'angry')
  assert.equal(Object.keys(data.answers.tone.probabilities), ['calm', 'angry', 'other'])
  assert.equal(data.answers.urgency.legend, { '0': 'can wait', '1': 'soon', '2': { text: 'now' } })
  const sum = Object.values(data.answers.urgency.probabilities).reduce((a, b) => a + b, 0)
  assert.ok(Math.abs(sum - 1) < 1e-9)
  assert.ok('input_tokens' in data.usage && 'output_tokens' in data.usage)
})

test('asks through a service with an upstream service, with and without --engine-model', async () => {
  for (const model of [undefined, 'svc-embedded-1']) {
    const options = { url: service.url, key: 'k', model }
    const forwarding = await startService(await openUpstream(options))
    const { data, requestId, response } = await createClient(forwarding.url)
      .systemOne({ state: 'I was charged twice.', questions })
      .withResponse()
    assert.is(data.model, 'svc-embedded-1')
    assert.match(service.logLines.at(-1) ?? '', new RegExp(`request_id=${requestId} `))
    assert.is(response.headers.get('x-service-request-id'), requestId)
  }
})

test('lists the models', async () => {
  const { data, requestId } = await createClient(service.url).models.list().withResponse()
  assert.equal(
    data.map(({ name }) => name),
    ['svc-latest', 'svc-embedded-1'],
  )
  assert.match(requestId ?? '', /^req_/)
})

test('throws its error classes with message and request id', async () => {
  const ask = (key: string, model: string) =>
    createClient(service.url, { apiKey: key }).systemOne({ state: 'x', questions, model })
  const wrongKeyError = await catchError(ask('wrong', 'svc-latest'))
  assert.instance(wrongKeyError, AuthenticationError)
  assert.match((wrongKeyError as AuthenticationError).message, /^401 Cannot authenticate/)
  assert.match((wrongKeyError as AuthenticationError).requestId ?? '', /^req_/)

  const wrongModelError = await catchError(ask('k', 'svc-9'))
  assert.instance(wrongModelError, BadRequestError)
  assert.is((wrongModelError as BadRequestError).message, '400 Unknown model: svc-9')

  const tooManyLabels = Object.fromEntries(Array.from({ length: 256 }, (_, i) => [`l${i}`, null]))
  const tooManyLabelsError = await catchError(
    createClient(service.url).systemOne({
      state: 'x',
      questions: { q: choice('?', tooManyLabels) },
    }),
  )
  assert.instance(tooManyLabelsError, UnprocessableEntityError)
  assert.match((tooManyLabelsError as Error).message, /^422 questions\.q\.criteria: .*255.*256/)

  const unknownPathError = await catchError(createClient(`${service.url}/elsewhere`).models.list())
  assert.instance(unknownPathError, NotFoundError)
})

test('reports the status with which a large request is refused during its upload, and does not send it again', async () => {
  const withKey = await startService(createStubEngine(), { keys: ['k'] })
  // The network cannot buffer 17 MiB, so the refusal arrives during the upload.
  const state = 'x'.repeat(17 << 20)
  for (let round = 0; round < 3; round++) {
    const tooLargeError = await catchError(
      createClient(withKey.url).systemOne({ state, questions }),
    )
    assert.instance(tooLargeError, APIError)
    assert.is((tooLargeError as APIError).status, 413)
    assert.is((tooLargeError as APIError).message, '413 request exceeds 2097152 bytes (--max-body)')
    const requestWithWrongKey = createClient(withKey.url, { apiKey: 'wrong' }).systemOne({
      state,
      questions,
    })
    assert.instance(await catchError(requestWithWrongKey), AuthenticationError)
  }
  const statuses = withKey.logLines.flatMap(
    (line) => /msg=request .*status=(\d+)/.exec(line)?.[1] ?? [],
  )
  assert.equal(statuses, ['413', '401', '413', '401', '413', '401'])
})

test('waits as long as a 429 asks, and then succeeds', async () => {
  const limitedService = await startService(createStubEngine(), { maxRequestsPerMinute: 60 })
  const sdk = createClient(limitedService.url)
  const listOnce = () => sdk.models.list({ retry: { maxRetries: 0 } })
  // The limit lets 60 requests pass at once, and refuses the others.
  const burst = await Promise.allSettled(Array.from({ length: 100 }, listOnce))
  const [error] = burst.flatMap((call) => (call.status === 'rejected' ? [call.reason] : []))
  assert.instance(error, RateLimitError)
  // At 60 requests per minute, the next one is allowed after a second.
  assert.ok(((error as RateLimitError).retryAfterMs ?? Infinity) <= 1000)
  assert.ok((await sdk.models.list()).length > 0)
})

test('succeeds if at most two retries of a 502 are needed, and otherwise reports it', async () => {
  let remainingFailures = 2
  const flakyService = await startService(
    createStubEngine(async (request) => {
      if (remainingFailures === 0) return chooseFirstOptions(request)
      remainingFailures -= 1
      return engineFailed('Gone.')
    }),
  )
  const sdk = createClient(flakyService.url, { retry: { backoffInitialMs: 10 } })
  const { data, response } = await sdk.systemOne({ state: 'x', questions }).withResponse()
  assert.is(response.status, 200)
  assert.is(data.answers.a.noul, 1)
  remainingFailures = 9
  const error = await catchError(sdk.systemOne({ state: 'x', questions }))
  assert.instance(error, InternalServerError)
  assert.is((error as InternalServerError).message, '502 Gone.')
  // The first attempt and two retries have failed.
  assert.is(remainingFailures, 9 - 3)
})

test('its timeout aborts the call to the engine', async () => {
  let isAborted = false
  const stuckService = await startService(
    createStubEngine((_, { signal }) => {
      signal.addEventListener('abort', () => {
        isAborted = true
      })
      return new Promise(() => undefined)
    }),
  )
  const error = await catchError(
    createClient(stuckService.url, { timeout: 200, retry: { maxRetries: 0 } }).systemOne({
      state: 'x',
      questions,
    }),
  )
  assert.instance(error, APITimeoutError)
  await until(() => isAborted)
})

test.run()
