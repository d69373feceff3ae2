import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import type { ChatOptions } from '../../../lib/service/engines/chat/options'
import { Secret } from '../../../lib/text/secret'
import { until } from '../../support/until'
import {
  askEndpoint,
  billingQuestion,
  defaultServerOptions,
  expectAnswer,
  expectFailure,
  failWith,
  threeQuestions,
  withModelServer,
} from './ask-chat-engine'
import { type Fault, type ModelServerOptions, startModelServer } from './model-server'

const test = suite('chat engine failures')

const failWithStatus = (status: number, message = 'it failed') =>
  failWith({ kind: 'status', status, message })
/** Responds with 200 and a body that svc cannot use. */
const failWithBody = (body: string) => failWith({ kind: 'body', body })

/** Creates a chat completion whose first token has these members. */
const createCompletion = (token: object): string =>
  JSON.stringify({ choices: [{ logprobs: { content: [token] } }] })

/** Creates a chat completion that lists `count` tokens. */
const createLongList = (count: number): string => {
  const token = { token: 'A', logprob: -12 }
  return createCompletion({ ...token, top_logprobs: Array(count).fill(token) })
}

const positiveLogprobs = createCompletion({
  token: 'A',
  logprob: 21.5,
  top_logprobs: [
    { token: 'A', logprob: 21.5 },
    { token: 'B', logprob: 3 },
  ],
})

interface FailureCase {
  readonly title: string
  readonly server: Partial<ModelServerOptions>
  readonly message: RegExp
  readonly engineOptions?: Partial<ChatOptions>
}

/** Faults of a server, by the type of the problem that they cause. */
const failures: Readonly<Record<string, ReadonlyArray<FailureCase>>> = {
  engine_error: [
    {
      title: 'letters with a low probability',
      server: { letterProbability: 0.4 },
      message: /hold only 40 % of the/,
    },
    {
      title: 'a list with one token',
      server: { maxListed: 1 },
      message: /listed 1 likely tokens for 2 options/,
    },
    {
      title: '500',
      server: failWithStatus(500),
      message: /returned 500: it failed/,
    },
    {
      title: '500 with a message about another kind of context',
      server: failWithStatus(500, 'context deadline exceeded after 30 of 60 s'),
      message: /returned 500: context deadline/,
    },
    {
      title: 'a refused parameter',
      server: failWithStatus(400, "Gaudi doesn't support logprobs."),
      message: /returned 400: Gaudi/,
    },
    {
      title: 'a redirect, without its target',
      server: failWithStatus(307, 'moved to http://inner.test/'),
      message: /: the engine returned 307, a redirect$/,
    },
    {
      title: 'a connection cut before the response',
      server: failWith({ kind: 'reset' }),
      message: /cannot be reached: /,
    },
    {
      title: 'a connection cut in the body',
      server: failWith({ kind: 'cut' }),
      message: /cannot be reached: /,
    },
    {
      title: 'a body that is not JSON',
      server: failWithBody('<html>'),
      message: /cannot be read: line 1/,
    },
    {
      title: 'a body without choices',
      server: failWithBody('{}'),
      message: /cannot be read: choices/,
    },
    {
      title: 'a choice without logprobs',
      server: failWithBody('{"choices":[{"index":0,"message":{"content":"A"}}]}'),
      message: /returned no log-probabilities/,
    },
    {
      title: 'null as logprobs',
      server: failWithBody('{"choices":[{"logprobs":null}]}'),
      message: /returned no log-probabilities/,
    },
    {
      title: 'null as the content of logprobs',
      server: failWithBody('{"choices":[{"logprobs":{"content":null}}]}'),
      message: /returned no log-probabilities/,
    },
    {
      title: 'an empty list',
      server: failWithBody('{"choices":[{"logprobs":{"content":[]}}]}'),
      message: /returned no log-probabilities/,
    },
    {
      title: 'positive log-probabilities',
      server: failWithBody(positiveLogprobs),
      message: /no logarithms of probabilities/,
    },
    {
      title: 'a token without a logprob',
      server: failWithBody(createCompletion({ token: 'A' })),
      message: /has no token and logprob/,
    },
    {
      title: 'a list of 100,000 tokens',
      server: failWithBody(createLongList(100_000)),
      message: /cannot be read: response exceeds 1 MiB$/,
    },
    {
      title: 'a list of 257 tokens',
      server: failWithBody(createLongList(257)),
      message: /lists more than 256 tokens$/,
    },
    {
      title: 'an error of more than 64 KiB',
      // 75,000 bytes. If svc read them, it would report a prompt that is too long.
      server: failWithStatus(400, 'context length '.repeat(5000)),
      message: /: the engine returned 400$/,
    },
  ],
  engine_timeout: [
    {
      title: '504',
      server: failWithStatus(504),
      message: /returned 504/,
    },
    {
      title: 'no response in time',
      server: failWith({ kind: 'stall' }),
      message: /did not answer within 200ms/,
      engineOptions: { timeout: 200_000_000n },
    },
  ],
  engine_auth: [
    {
      title: 'a refused key, without the parts of the key in the message',
      server: failWithStatus(401, 'Incorrect API key provided: sk-12***89.'),
      message: /: the engine refused the API key of this service \(SERVICE_ENGINE_API_KEY\)$/,
    },
  ],
  overloaded_error: [
    {
      title: '429',
      server: failWithStatus(429),
      message: /overloaded or not ready/,
    },
    {
      title: '503, as while a model is loaded',
      server: failWithStatus(503),
      message: /not ready: it failed/,
    },
    {
      title: '429 with more than 64 KiB',
      server: failWithStatus(429, 'x'.repeat(65 << 10)),
      message: /overloaded or not ready$/,
    },
  ],
}

for (const [type, cases] of Object.entries(failures))
  for (const { title, server, message, engineOptions } of cases)
    test(`fails with ${type} and the question's id: ${title}`, () =>
      withModelServer(server, async ({ url }) => {
        const questions = [['my "q"', billingQuestion]] as const
        const answerPromise = askEndpoint(url, questions, { engineOptions })
        const failure = await expectFailure(answerPromise, type, message)
        assert.ok(failure.message.startsWith('question "my \\"q\\"": '))
        assert.ok(!failure.message.includes('127.0.0.1'), 'callers do not see the address')
      }))

const engineKey = 'sk-engine-1234'

/** Errors of an endpoint, and the causes that svc logs. They never have the message, which may quote the state. */
const loggedErrors: ReadonlyArray<{
  readonly title: string
  readonly error: object
  readonly cause: string
}> = [
  {
    title: 'with its type and code',
    error: {
      message: 'I was charged twice.',
      type: 'invalid_request_error',
      code: 'model_not_found',
    },
    cause: 'the engine returned 400 (invalid_request_error, model_not_found)',
  },
  {
    title: 'leaving out a type that is a sentence and a code that is the API key',
    error: { message: 'x', type: 'I was charged', code: engineKey },
    cause: 'the engine returned 400',
  },
  {
    title: 'leaving out a very long type and a code that is a number',
    error: { message: 'x', type: 'a'.repeat(101), code: 400 },
    cause: 'the engine returned 400',
  },
]

for (const { title, error, cause } of loggedErrors)
  test(`logs an error without its message, ${title}`, () => {
    const body = JSON.stringify({ error })
    const engineOptions = { apiKey: new Secret(engineKey) }
    return withModelServer(failWith({ kind: 'body', status: 400, body }), async ({ url }) => {
      const answerPromise = askEndpoint(url, [['q', billingQuestion]], { engineOptions })
      const failure = await expectFailure(answerPromise, 'engine_error', /returned 400: /)
      assert.equal(failure.cause, cause)
    })
  })

test('reads a log-probability of null as the probability 0', () => {
  const body = createCompletion({
    token: 'A',
    logprob: 0,
    bytes: null,
    top_logprobs: [
      { token: 'A', logprob: 0 },
      { token: 'B', logprob: null },
    ],
  })
  const server = failWith({ kind: 'body', body })
  return withModelServer(server, async ({ url }) => {
    const { answers, usage } = await expectAnswer(askEndpoint(url, [['q', billingQuestion]]))
    assert.deepEqual(answers, [{ type: 'noul', yes: 1 }])
    assert.deepEqual(usage, { input_tokens: null, output_tokens: null })
  })
})

test('reports a refused connection, with the address in the log and not in the message', async () => {
  const failure = await expectFailure(
    askEndpoint('http://127.0.0.1:1/v1', [['q', billingQuestion]]),
    'engine_error',
    /^question "q": the engine cannot be reached: connection refused$/,
  )
  assert.equal(failure.cause, 'connection refused (127.0.0.1:1)')
})

test('passes on the wait that the endpoint asks for', () =>
  withModelServer(failWithStatus(429), async ({ url }) => {
    const answerPromise = askEndpoint(url, [['q', billingQuestion]])
    const failure = await expectFailure(answerPromise, 'overloaded_error', /overloaded/)
    // The model server sends `retry-after-ms: 1` with every status.
    assert.equal(failure.headers?.['retry-after-ms'], '1')
  }))

test('retries a 503 with the same request', () =>
  withModelServer(
    { getFault: (call) => (call <= 2 ? { kind: 'status', status: 503 } : undefined) },
    async ({ url, bodies }) => {
      await expectAnswer(
        askEndpoint(url, [['q', billingQuestion]], { engineOptions: { maxRetries: 2 } }),
      )
      assert.equal(bodies.length, 3)
      assert.equal(new Set(bodies).size, 1)
    },
  ))

test('cancels the calls in flight after a failure, and starts no further ones', () =>
  withModelServer(
    { getFault: (call) => (call === 2 ? { kind: 'status', status: 500 } : { kind: 'stall' }) },
    async ({ url, bodies }) => {
      const questions = Array.from({ length: 9 }, (_, i) => [`q${i}`, billingQuestion] as const)
      const answerPromise = askEndpoint(url, questions, { engineOptions: { concurrency: 3 } })
      await expectFailure(answerPromise, 'engine_error', /returned 500/)
      // Three calls begin together, and the second fails.
      assert.ok(bodies.length <= 3)
    },
  ))

test('cancels its calls if the request is aborted', () =>
  withModelServer(failWith({ kind: 'stall' }), async ({ url, bodies }) => {
    const abortController = new AbortController()
    const answerPromise = askEndpoint(url, threeQuestions, { signal: abortController.signal })
    await until(() => bodies.length === 3)
    abortController.abort()
    await expectFailure(answerPromise, 'engine_error', /was cancelled/)
  }))

test('fails every unfinished request with engine_error if the endpoint stops', async () => {
  // The endpoint answers ten calls, and the others are still in flight when it stops.
  const getFault = (call: number): Fault | undefined => (call > 10 ? { kind: 'stall' } : undefined)
  const server = await startModelServer({ ...defaultServerOptions, getFault })
  const requests = Array.from({ length: 10 }, () => askEndpoint(server.url, threeQuestions))
  await until(() => server.bodies.length > 10)
  await server.close()
  const failedRequests = (await Promise.all(requests)).filter(E.isLeft)
  assert.ok(failedRequests.length > 0)
  for (const { left } of failedRequests) assert.equal(left.type, 'engine_error')
})

test.run()
