import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import { Secret } from '../../../lib/failure/text/secret'
import type { OpenaiOptions } from '../../../lib/service/engines/openai/options'
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
} from './ask-openai-engine'
import { type Fault, type ModelServerOptions, startModelServer } from './model-server'

const test = suite('openai engine failures')

const failWithStatus = (status: number, message?: string) =>
  failWith(message === undefined ? { kind: 'status', status } : { kind: 'status', status, message })
const respondWithBody = (body: string) => failWith({ kind: 'body', body })

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

/** The beginning of OpenAI's message about a prompt that is too long. vLLM uses it too. */
const openaiLimit = "This model's maximum context length is 8192 tokens. However,"

/** The messages of servers about a prompt of 9,001 tokens, if their model reads at most 8,192. */
const tooLongMessages: ReadonlyArray<{
  readonly server: string
  readonly status: number
  readonly message: string
}> = [
  {
    server: 'OpenAI',
    status: 400,
    message: `${openaiLimit} your messages resulted in 9001 tokens. Please reduce the length.`,
  },
  {
    server: 'vLLM',
    status: 400,
    message: `${openaiLimit} you requested 9001 tokens (9000 in the messages, 1 in the completion).`,
  },
  {
    server: 'vLLM 0.14',
    status: 400,
    message: `${openaiLimit} your request has 9001 input tokens. Please reduce the length.`,
  },
  {
    server: 'vLLM 0.17',
    status: 400,
    message:
      "You passed 9001 input tokens and requested 1 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 8191 tokens.",
  },
  {
    server: 'vLLM with images',
    status: 400,
    message: 'The decoder prompt (length 9001) is longer than the maximum model length of 8192.',
  },
  {
    server: 'SGLang',
    status: 400,
    message: "The input (9001 tokens) is longer than the model's context length (8192 tokens).",
  },
  {
    server: 'llama.cpp',
    status: 400,
    message:
      'request (9001 tokens) exceeds the available context size (8192 tokens), try increasing it',
  },
  {
    server: 'TGI',
    status: 422,
    message:
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9001 `inputs` tokens and 1 `max_new_tokens`',
  },
  {
    server: 'Gemini',
    status: 400,
    message: 'The input token count (9,001) exceeds the maximum number of tokens allowed (8,192).',
  },
  {
    server: 'LM Studio',
    status: 400,
    message:
      'Trying to keep the first 9001 tokens when context the overflows. However, the model is loaded with context length of only 8192 tokens, which is not enough.',
  },
  {
    server: 'LM Studio 0.4',
    status: 500,
    message:
      'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9001>= n_ctx: 8192).',
  },
]

interface FailureCase {
  readonly title: string
  readonly server: Partial<ModelServerOptions>
  readonly message: RegExp
  readonly engineOptions?: Partial<OpenaiOptions>
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
      server: respondWithBody('<html>'),
      message: /cannot be read: line 1/,
    },
    {
      title: 'a body without choices',
      server: respondWithBody('{}'),
      message: /cannot be read: choices/,
    },
    {
      title: 'a choice without logprobs',
      server: respondWithBody('{"choices":[{"index":0,"message":{"content":"A"}}]}'),
      message: /returned no log-probabilities/,
    },
    {
      title: 'null as logprobs',
      server: respondWithBody('{"choices":[{"logprobs":null}]}'),
      message: /returned no log-probabilities/,
    },
    {
      title: 'null as the content of logprobs',
      server: respondWithBody('{"choices":[{"logprobs":{"content":null}}]}'),
      message: /returned no log-probabilities/,
    },
    {
      title: 'an empty list',
      server: respondWithBody('{"choices":[{"logprobs":{"content":[]}}]}'),
      message: /returned no log-probabilities/,
    },
    {
      title: 'positive log-probabilities',
      server: respondWithBody(positiveLogprobs),
      message: /no logarithms of probabilities/,
    },
    {
      title: 'a token without a logprob',
      server: respondWithBody(createCompletion({ token: 'A' })),
      message: /has no token and logprob/,
    },
    {
      title: 'a list of 100,000 tokens',
      server: respondWithBody(createLongList(100_000)),
      message: /cannot be read: response exceeds 1 MiB$/,
    },
    {
      title: 'a list of 257 tokens',
      server: respondWithBody(createLongList(257)),
      message: /lists more than 256 tokens$/,
    },
    {
      title: 'an error of more than 64 KiB',
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
  max_tokens_exceeded: [
    {
      title: 'a message without numbers',
      server: failWithStatus(400, 'the input length exceeds the context length'),
      message: /the state or the question is too long for the engine: the input length exceeds/,
    },
    {
      title: 'the message of z.ai',
      server: failWithStatus(400, 'Prompt exceeds max length'),
      message: /too long for the engine: Prompt exceeds max length/,
    },
    {
      title: 'the message of vLLM that counts characters',
      server: failWithStatus(
        400,
        `${openaiLimit} your prompt contains 200000 characters (more than 98304 characters`,
      ),
      message: /too long for the engine: .* contains 200000 characters/,
    },
    ...tooLongMessages.map(
      ({ server, status, message }): FailureCase => ({
        title: `the message of ${server}`,
        server: failWithStatus(status, message),
        message: /the state or the question is too long for the engine: 9001 tokens, at most 8192$/,
      }),
    ),
    {
      title: 'a prompt that the server cuts silently',
      // The 59 words of the prompt's beginning take at least 59 tokens.
      server: { maxReadTokens: 40 },
      message: /is too long for the engine: it read 40 tokens of at least 59$/,
    },
  ],
}

for (const [type, cases] of Object.entries(failures))
  for (const { title, server, message, engineOptions } of cases)
    test(`fails with ${type} and the question's id: ${title}`, () =>
      withModelServer(server, async ({ url }) => {
        const answerPromise = askEndpoint(
          url,
          [['my "q"', billingQuestion]],
          engineOptions && { engineOptions },
        )
        const failure = await expectFailure(answerPromise, type, message)
        assert.ok(failure.message.startsWith('question "my \\"q\\"": '))
        assert.ok(!failure.message.includes('127.0.0.1'), 'callers do not see the address')
      }))

const engineKey = 'sk-engine-1234'

/** Errors of an endpoint, and the causes that svc logs. */
const loggedErrors: ReadonlyArray<{
  readonly title: string
  readonly error: object
  readonly cause: string
}> = [
  {
    title: 'with type and code',
    error: {
      message: 'I was charged twice.',
      type: 'invalid_request_error',
      code: 'model_not_found',
    },
    cause: 'the engine returned 400 (invalid_request_error, model_not_found)',
  },
  {
    title: 'without a type that is a sentence, and a code that is the key',
    error: { message: 'x', type: 'I was charged', code: engineKey },
    cause: 'the engine returned 400',
  },
  {
    title: 'without a very long type, and a code that is a number',
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
  return withModelServer(respondWithBody(body), async ({ url }) => {
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

test('reads the lengths that older versions of llama.cpp send beside their message', () => {
  const error = {
    code: 500,
    message: 'the request exceeds the available context size. try increasing the context size',
    type: 'exceed_context_size_error',
    n_prompt_tokens: 9001,
    n_ctx: 8192,
  }
  const body = JSON.stringify({ error })
  return withModelServer(failWith({ kind: 'body', status: 500, body }), async ({ url }) => {
    await expectFailure(
      askEndpoint(url, [['q', billingQuestion]]),
      'max_tokens_exceeded',
      /is too long for the engine: 9001 tokens, at most 8192$/,
    )
  })
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
