import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import { Secret } from '../../../lib/failure/text/secret'
import type { AnsweringEngine } from '../../../lib/service/contract/engine'
import type { OpenaiOptions } from '../../../lib/service/engines/openai/options'
import { until } from '../../support/until'
import {
  ask,
  askEngine,
  assertNear,
  billingQuestion,
  createChoice,
  defaultServerOptions,
  expectAnswer,
  expectFailure,
  openEngineAt,
  preferredWeight,
  threeQuestions,
  withModelServer,
} from './ask-openai-engine'
import { type Fault, type ModelServerOptions, startModelServer } from './model-server'

const test = suite('openai engine failures')

const createFault = (fault: Fault): Partial<ModelServerOptions> => ({ getFault: () => fault })
const createStatus = (status: number, message?: string) =>
  createFault(
    message === undefined ? { kind: 'status', status } : { kind: 'status', status, message },
  )
const createBody = (body: string) => createFault({ kind: 'body', body })

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

const openaiLimit = "This model's maximum context length is 8192 tokens. However,"
/** The messages of servers about a prompt of 9,001 tokens with a maximum of 8,192. */
const tooLongMessages: ReadonlyArray<readonly [server: string, status: number, message: string]> = [
  [
    'OpenAI',
    400,
    `${openaiLimit} your messages resulted in 9001 tokens. Please reduce the length.`,
  ],
  [
    'vLLM',
    400,
    `${openaiLimit} you requested 9001 tokens (9000 in the messages, 1 in the completion).`,
  ],
  [
    'vLLM 0.14',
    400,
    `${openaiLimit} your request has 9001 input tokens. Please reduce the length.`,
  ],
  [
    'vLLM 0.17',
    400,
    "You passed 9001 input tokens and requested 1 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 8191 tokens.",
  ],
  [
    'vLLM with images',
    400,
    'The decoder prompt (length 9001) is longer than the maximum model length of 8192.',
  ],
  [
    'SGLang',
    400,
    "The input (9001 tokens) is longer than the model's context length (8192 tokens).",
  ],
  [
    'llama.cpp',
    400,
    'request (9001 tokens) exceeds the available context size (8192 tokens), try increasing it',
  ],
  [
    'TGI',
    422,
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9001 `inputs` tokens and 1 `max_new_tokens`',
  ],
  [
    'Gemini',
    400,
    'The input token count (9,001) exceeds the maximum number of tokens allowed (8,192).',
  ],
  [
    'LM Studio',
    400,
    'Trying to keep the first 9001 tokens when context the overflows. However, the model is loaded with context length of only 8192 tokens, which is not enough.',
  ],
  [
    'LM Studio 0.4',
    500,
    'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9001>= n_ctx: 8192).',
  ],
]

type FailureCase = readonly [
  title: string,
  server: Partial<ModelServerOptions>,
  message: RegExp,
  engine?: Partial<OpenaiOptions>,
]

/** Faults of a server, by the type of the problem that they cause. */
const failures: Readonly<Record<string, ReadonlyArray<FailureCase>>> = {
  engine_error: [
    ['letters with a low probability', { letterProbability: 0.4 }, /hold only 40 % of the/],
    ['a list with one token', { maxListed: 1 }, /listed 1 likely tokens for 2 options/],
    ['500', createStatus(500), /returned 500: it failed/],
    [
      '500 with a message about another kind of context',
      createStatus(500, 'context deadline exceeded after 30 of 60 s'),
      /returned 500: context deadline/,
    ],
    [
      'a refused parameter',
      createStatus(400, "Gaudi doesn't support logprobs."),
      /returned 400: Gaudi/,
    ],
    [
      'a redirect, without its target',
      createStatus(307, 'moved to http://inner.test/'),
      /: the engine returned 307, a redirect$/,
    ],
    ['a connection cut before the response', createFault({ kind: 'reset' }), /cannot be reached: /],
    ['a connection cut in the body', createFault({ kind: 'cut' }), /cannot be reached: /],
    ['a body that is not JSON', createBody('<html>'), /cannot be read: line 1/],
    ['a body without choices', createBody('{}'), /cannot be read: choices/],
    [
      'a choice without logprobs',
      createBody('{"choices":[{"index":0,"message":{"content":"A"}}]}'),
      /returned no log-probabilities/,
    ],
    [
      'null as logprobs',
      createBody('{"choices":[{"logprobs":null}]}'),
      /returned no log-probabilities/,
    ],
    [
      'null as the content of logprobs',
      createBody('{"choices":[{"logprobs":{"content":null}}]}'),
      /returned no log-probabilities/,
    ],
    [
      'an empty list',
      createBody('{"choices":[{"logprobs":{"content":[]}}]}'),
      /returned no log-probabilities/,
    ],
    ['positive log-probabilities', createBody(positiveLogprobs), /no logarithms of probabilities/],
    [
      'a token without a logprob',
      createBody(createCompletion({ token: 'A' })),
      /has no token and logprob/,
    ],
    [
      'a list of 100,000 tokens',
      createBody(createLongList(100_000)),
      /cannot be read: response exceeds 1 MiB$/,
    ],
    ['a list of 257 tokens', createBody(createLongList(257)), /lists more than 256 tokens$/],
    [
      'an error of more than 64 KiB',
      createStatus(400, 'context length '.repeat(6000)),
      /: the engine returned 400$/,
    ],
  ],
  engine_timeout: [
    ['504', createStatus(504), /returned 504/],
    [
      'no response in time',
      createFault({ kind: 'stall' }),
      /did not answer within 200ms/,
      { timeout: 200_000_000n },
    ],
  ],
  engine_auth: [
    [
      'a refused key, without the parts of the key in the message',
      createStatus(401, 'Incorrect API key provided: sk-12***89.'),
      /: the engine refused the API key of this service \(SERVICE_ENGINE_API_KEY\)$/,
    ],
  ],
  overloaded_error: [
    ['429', createStatus(429), /overloaded or not ready/],
    ['503, as while a model is loaded', createStatus(503), /not ready: it failed/],
    [
      '429 with more than 64 KiB',
      createStatus(429, 'x'.repeat(13 << 20)),
      /overloaded or not ready$/,
    ],
  ],
  max_tokens_exceeded: [
    [
      'a message without numbers',
      createStatus(400, 'the input length exceeds the context length'),
      /the state or the question is too long for the engine: the input length exceeds/,
    ],
    [
      'the message of z.ai',
      createStatus(400, 'Prompt exceeds max length'),
      /too long for the engine: Prompt exceeds max length/,
    ],
    [
      'the message of vLLM that counts characters',
      createStatus(
        400,
        `${openaiLimit} your prompt contains 200000 characters (more than 98304 characters`,
      ),
      /too long for the engine: .* contains 200000 characters/,
    ],
    ...tooLongMessages.map(
      ([server, status, message]): FailureCase => [
        `the message of ${server}`,
        createStatus(status, message),
        /the state or the question is too long for the engine: 9001 tokens, at most 8192$/,
      ],
    ),
    [
      'a prompt that the server cuts silently',
      { maxReadTokens: 40 },
      /is too long for the engine: it read 40 tokens of at least 59$/,
    ],
  ],
}

for (const [type, cases] of Object.entries(failures))
  for (const [title, server, message, engine] of cases)
    test(`fails with ${type} and the question's id: ${title}`, () =>
      withModelServer(server, async ({ url }) => {
        const asked = ask(url, [['my "q"', billingQuestion]], engine)
        const failure = await expectFailure(asked, type, message)
        assert.ok(failure.message.startsWith('question "my \\"q\\"": '))
        assert.ok(!failure.message.includes('127.0.0.1'), 'callers do not see the address')
      }))

const key = 'sk-engine-1234'

const loggedErrors: ReadonlyArray<readonly [title: string, error: object, cause: string]> = [
  [
    'with type and code',
    { message: 'I was charged twice.', type: 'invalid_request_error', code: 'model_not_found' },
    'the engine returned 400 (invalid_request_error, model_not_found)',
  ],
  [
    'without a type that is a sentence, and a code that is the key',
    { message: 'x', type: 'I was charged', code: key },
    'the engine returned 400',
  ],
  [
    'without a very long type, and a code that is a number',
    { message: 'x', type: 'a'.repeat(101), code: 400 },
    'the engine returned 400',
  ],
]

for (const [title, error, cause] of loggedErrors)
  test(`logs an error without its message, ${title}`, () => {
    const body = JSON.stringify({ error })
    return withModelServer(createFault({ kind: 'body', status: 400, body }), async ({ url }) => {
      const asked = ask(url, [['q', billingQuestion]], { apiKey: new Secret(key) })
      const failure = await expectFailure(asked, 'engine_error', /returned 400: /)
      assert.equal(failure.cause, cause)
    })
  })

test('takes a null log-probability as the probability 0', () => {
  const body = createCompletion({
    token: 'A',
    logprob: 0,
    bytes: null,
    top_logprobs: [
      { token: 'A', logprob: 0 },
      { token: 'B', logprob: null },
    ],
  })
  return withModelServer(createBody(body), async ({ url }) => {
    const { answers, usage } = await expectAnswer(ask(url, [['q', billingQuestion]]))
    assert.deepEqual(answers, [{ type: 'noul', yes: 1 }])
    assert.deepEqual(usage, { input_tokens: null, output_tokens: null })
  })
})

test('reports a refused connection, and has the address only in the log', async () => {
  const failure = await expectFailure(
    ask('http://127.0.0.1:1/v1', [['q', billingQuestion]]),
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
  return withModelServer(createFault({ kind: 'body', status: 500, body }), async ({ url }) => {
    await expectFailure(
      ask(url, [['q', billingQuestion]]),
      'max_tokens_exceeded',
      /is too long for the engine: 9001 tokens, at most 8192$/,
    )
  })
})

test('passes on the wait of the endpoint', () =>
  withModelServer(createStatus(429), async ({ url }) => {
    const asked = ask(url, [['q', billingQuestion]])
    const failure = await expectFailure(asked, 'overloaded_error', /./)
    assert.equal(failure.headers?.['retry-after-ms'], '1')
  }))

test('retries a 503 with the same request', () =>
  withModelServer(
    { getFault: (call) => (call <= 2 ? { kind: 'status', status: 503 } : undefined) },
    async ({ url, bodies }) => {
      await expectAnswer(ask(url, [['q', billingQuestion]], { maxRetries: 2 }))
      assert.equal(bodies.length, 3)
      assert.equal(new Set(bodies).size, 1)
    },
  ))

test('cancels the calls in flight after a failure, and starts no further ones', () =>
  withModelServer(
    { getFault: (call) => (call === 2 ? { kind: 'status', status: 500 } : { kind: 'stall' }) },
    async ({ url, bodies }) => {
      const questions = Array.from({ length: 9 }, (_, i) => [`q${i}`, billingQuestion] as const)
      await expectFailure(ask(url, questions, { concurrency: 3 }), 'engine_error', /returned 500/)
      assert.ok(bodies.length <= 3)
    },
  ))

test('cancels its calls if the request is aborted', () =>
  withModelServer(createFault({ kind: 'stall' }), async ({ url, bodies }) => {
    const abortController = new AbortController()
    const asked = ask(url, threeQuestions, {}, '', abortController.signal)
    await until(() => bodies.length === 3)
    abortController.abort()
    await expectFailure(asked, 'engine_error', /was cancelled/)
  }))

test('ends every request with an engine_error if the endpoint stops under load', async () => {
  const getFault = (call: number): Fault | undefined => (call > 10 ? { kind: 'stall' } : undefined)
  const server = await startModelServer({ ...defaultServerOptions, getFault })
  const requests = Array.from({ length: 10 }, () => ask(server.url, threeQuestions))
  await until(() => server.bodies.length > 10)
  await server.close()
  const failures = (await Promise.all(requests)).filter(E.isLeft)
  assert.ok(failures.length > 0)
  for (const { left } of failures) assert.equal(left.type, 'engine_error')
})

const refusedStarts: ReadonlyArray<
  readonly [
    title: string,
    server: Partial<ModelServerOptions>,
    engine: Partial<OpenaiOptions>,
    message: RegExp,
  ]
> = [
  [
    'an unknown model',
    {},
    { model: 'large' },
    /does not list the model "large"; it lists small: pass/,
  ],
  [
    'no log-probabilities',
    createBody('{"choices":[{"index":0,"message":{"content":"A"}}]}'),
    {},
    /returned no log-probabilities for the model "small".*0\.12\.11/,
  ],
  [
    'letters with a low probability',
    { letterProbability: 0.02 },
    {},
    /puts only 2\.0 % of its probability on the option letters; likeliest are "The" \(20 %\).*--engine-body/,
  ],
  ['a list with one token', { maxListed: 1 }, {}, /cannot be used: it listed 1 likely tokens/],
  ['a refused request', createStatus(422), {}, /returned 422: it failed/],
  ['a missing key', { apiKey: 'k' }, {}, /returned 401/],
]

for (const [title, server, engine, message] of refusedStarts)
  test(`refuses an endpoint at the start: ${title}`, () =>
    withModelServer(server, async ({ url }) => {
      const opened = await openEngineAt(url, engine)
      assert.ok(E.isLeft(opened) && opened.left._tag === 'Usage')
      assert.match(opened.left.message, message)
      assert.ok(opened.left.message.startsWith(`engine openai: engine ${url}: `))
    }))

const canPing = async (engine: AnsweringEngine): Promise<boolean> => {
  assert.ok(engine.ping)
  return E.isRight(await engine.ping(new AbortController().signal)())
}

/** Returns the engine, which must have been opened. */
const expectEngine = async (opened: ReturnType<typeof openEngineAt>): Promise<AnsweringEngine> => {
  const engine = await opened
  assert.ok(E.isRight(engine))
  return engine.right
}

test('starts with an endpoint that is not ready, and checks it once for concurrent requests', async () => {
  let isReady = false
  const getFault = (): Fault | undefined =>
    isReady ? undefined : { kind: 'status', status: 503, message: 'loading' }
  await withModelServer({ getFault }, async ({ url, bodies }) => {
    const engine = await expectEngine(openEngineAt(url))
    assert.equal(await canPing(engine), false)
    const notReady = /^the engine is overloaded or not/
    await expectFailure(askEngine(engine, threeQuestions), 'overloaded_error', notReady)

    isReady = true
    const callsBefore = bodies.length
    await Promise.all([1, 2].map(() => expectAnswer(askEngine(engine, threeQuestions))))

    assert.equal(bodies.length - callsBefore, 1 + 2 * threeQuestions.length)
    assert.equal(await canPing(engine), true)
  })
})

test('starts with an endpoint that refuses connections', async () => {
  const engine = await expectEngine(openEngineAt('http://127.0.0.1:1/v1'))
  assert.equal(await canPing(engine), false)
  const failure = await expectFailure(
    askEngine(engine, threeQuestions),
    'engine_error',
    /^the engine cannot be reached: connection refused$/,
  )
  assert.equal(failure.cause, 'connection refused (127.0.0.1:1)')
})

test('reports to callers that a later check refuses the model', async () => {
  let isReady = false
  const getFault = (): Fault | undefined => (isReady ? undefined : { kind: 'status', status: 503 })
  await withModelServer({ getFault, letterProbability: 0.02 }, async ({ url }) => {
    const engine = await expectEngine(openEngineAt(url))
    isReady = true
    const refusal = /^the model "small" does not answer with letters$/
    await expectFailure(askEngine(engine, threeQuestions), 'engine_error', refusal)
    assert.equal(await canPing(engine), false)
  })
})

const requestForms: ReadonlyArray<
  readonly [
    title: string,
    getRefusal: NonNullable<ModelServerOptions['getRefusal']>,
    expectedMembers: object,
  ]
> = [
  [
    'max_completion_tokens instead of max_tokens',
    (body) =>
      'max_tokens' in body
        ? "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        : undefined,
    { max_tokens: undefined, max_completion_tokens: 1, top_logprobs: 20 },
  ],
  [
    'at most 5 listed tokens',
    ({ top_logprobs }) =>
      Number(top_logprobs) > 5 ? 'top_logprobs must be between 0 and 5' : undefined,
    { max_tokens: 1, max_completion_tokens: undefined, top_logprobs: 5 },
  ],
]

for (const [title, getRefusal, expectedMembers] of requestForms)
  test(`finds the form of requests that an endpoint accepts: ${title}`, () =>
    withModelServer({ getRefusal }, async ({ url, bodies }) => {
      const engine = await expectEngine(openEngineAt(url))
      const labels = Array.from({ length: 30 }, (_, i) => (i === 17 ? 'angry' : `label ${i}`))
      const { answers } = await expectAnswer(askEngine(engine, [['q', createChoice(labels)]]))
      assert.ok(answers[0]?.type === 'choice')
      assertNear(answers[0].probabilities[17], preferredWeight / (preferredWeight + 29), 0.02)
      const lastBody = JSON.parse(bodies.at(-1) ?? '')
      for (const [name, value] of Object.entries(expectedMembers))
        assert.equal(lastBody[name], value, name)
    }))

test('adds /v1 to the base address', () =>
  withModelServer({}, async ({ url }) => {
    await expectEngine(openEngineAt(url.replace('/v1', '')))
  }))

test('accepts a model name with a tag, as Ollama lists it', () =>
  withModelServer({ product: 'ollama', model: 'small:latest' }, async ({ url }) => {
    await expectEngine(openEngineAt(url, { model: 'small:latest' }))
  }))

test.run()
