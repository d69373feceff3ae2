import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import { Secret } from '../../../lib/failure/text/secret'
import type { AnsweringEngine } from '../../../lib/service/contract/engine'
import type { OpenaiOptions } from '../../../lib/service/engines/openai/options'
import { startHttpServer } from '../../support/servers'
import { until } from '../../support/until'
import {
  ask,
  askEngine,
  choice,
  expectAnswer,
  expectFailure,
  near,
  noul,
  prefer,
  startAt,
  strong,
  three,
  withModelServer,
} from './ask-openai-engine'
import { type Fault, type ModelServerOptions, startModelServer } from './model-server'

const test = suite('openai engine failures')

const fault = (one: Fault): Partial<ModelServerOptions> => ({ fault: () => one })
const status = (code: number, message?: string) =>
  fault({ kind: 'status', status: code, ...(message && { message }) })
const body = (text: string) => fault({ kind: 'body', body: text })

/** An answer whose first token has these members. */
const createAnswer = (token: object): string =>
  JSON.stringify({ choices: [{ logprobs: { content: [token] } }] })

/** An answer that lists this many likely tokens. */
const listOf = (count: number): string => {
  const listed = { token: 'A', logprob: -12 }
  return createAnswer({ ...listed, top_logprobs: Array(count).fill(listed) })
}
const strange = {
  token: 'A',
  logprob: 21.5,
  top_logprobs: [
    { token: 'A', logprob: 21.5 },
    { token: 'B', logprob: 3 },
  ],
}

/** The messages of engines about 9,001 tokens in a context of 8,192. */
const most = "This model's maximum context length is 8192 tokens. However,"
const tooLong: ReadonlyArray<readonly [engine: string, status: number, message: string]> = [
  ['OpenAI', 400, `${most} your messages resulted in 9001 tokens. Please reduce the length.`],
  ['vLLM', 400, `${most} you requested 9001 tokens (9000 in the messages, 1 in the completion).`],
  ['vLLM 0.14', 400, `${most} your request has 9001 input tokens. Please reduce the length.`],
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

type Case = readonly [
  what: string,
  Partial<ModelServerOptions>,
  message: RegExp,
  Partial<OpenaiOptions>?,
]

/** The result of a question, by the type of the failure. */
const failures: Readonly<Record<string, ReadonlyArray<Case>>> = {
  engine_error: [
    ['too little mass on the letters', { letters: 0.4 }, /hold only 40 % of the/],
    ['a list of one', { listed: 1 }, /listed 1 likely tokens for 2 options/],
    ['an error', status(500), /returned 500: it failed/],
    [
      'a failure that mentions a context',
      status(500, 'context deadline exceeded after 30 of 60 s'),
      /returned 500: context deadline/,
    ],
    ['a refused parameter', status(400, "Gaudi doesn't support logprobs."), /returned 400: Gaudi/],
    [
      'a redirect, whose target concerns nobody else',
      status(307, 'moved to http://inner.test/'),
      /: the engine returned 307, a redirect$/,
    ],
    ['a cut before the response', fault({ kind: 'reset' }), /cannot be reached: /],
    ['a cut in the body', fault({ kind: 'cut' }), /cannot be reached: /],
    ['no JSON', body('<html>'), /cannot be read: line 1/],
    ['no choices', body('{}'), /cannot be read: choices/],
    [
      'a text alone',
      body('{"choices":[{"index":0,"message":{"content":"A"}}]}'),
      /returned no log-probabilities/,
    ],
    ['null', body('{"choices":[{"logprobs":null}]}'), /returned no log-probabilities/],
    [
      'null inside',
      body('{"choices":[{"logprobs":{"content":null}}]}'),
      /returned no log-probabilities/,
    ],
    [
      'an empty list',
      body('{"choices":[{"logprobs":{"content":[]}}]}'),
      /returned no log-probabilities/,
    ],
    ['other log-probabilities', body(createAnswer(strange)), /no logarithms of probabilities/],
    ['a token without a logprob', body(createAnswer({ token: 'A' })), /has no token and logprob/],
    ['a list of 100,000 tokens', body(listOf(100_000)), /cannot be read: response exceeds 1 MiB$/],
    ['a list of 257 tokens', body(listOf(257)), /lists more than 256 tokens$/],
    [
      'an error of more than 64 KiB',
      status(400, 'context length '.repeat(6000)),
      /: the engine returned 400$/,
    ],
  ],
  engine_timeout: [
    ['a gateway timeout', status(504), /returned 504/],
    ['a stall', fault({ kind: 'stall' }), /did not answer within 200ms/, { timeout: 200_000_000n }],
  ],
  engine_auth: [
    [
      'a refused key, of which the engine tells parts',
      status(401, 'Incorrect API key provided: sk-12***89.'),
      /: the engine refused the API key of this service \(SERVICE_ENGINE_API_KEY\)$/,
    ],
  ],
  overloaded_error: [
    ['no room', status(429), /overloaded or not ready/],
    ['a loading model', status(503), /not ready: it failed/],
    [
      'an overload of more than 64 KiB',
      status(429, 'x'.repeat(13 << 20)),
      /overloaded or not ready$/,
    ],
  ],
  max_tokens_exceeded: [
    [
      'no numbers',
      status(400, 'the input length exceeds the context length'),
      /the state or the question is too long for the engine: the input length exceeds/,
    ],
    [
      'in the words of z.ai',
      status(400, 'Prompt exceeds max length'),
      /too long for the engine: Prompt exceeds max length/,
    ],
    [
      'in the words of vLLM for a text that it does not even tokenize',
      status(400, `${most} your prompt contains 200000 characters (more than 98304 characters`),
      /too long for the engine: .* contains 200000 characters/,
    ],
    ...tooLong.map(
      ([engine, code, message]): Case => [
        `in the words of ${engine}`,
        status(code, message),
        /the state or the question is too long for the engine: 9001 tokens, at most 8192$/,
      ],
    ),
    [
      'a prompt that the engine cuts without a word',
      { cutTo: 40 },
      /is too long for the engine: it read 40 tokens of at least 59$/,
    ],
  ],
}

for (const [type, cases] of Object.entries(failures))
  for (const [what, options, message, engine] of cases)
    test(`a failed question fails the request, and names it: ${type}, ${what}`, () =>
      withModelServer(options, async ({ url }) => {
        const failure = await expectFailure(ask(url, [['my "q"', noul]], engine), type, message)
        assert.ok(failure.message.startsWith('question "my \\"q\\"": '))
        assert.ok(!failure.message.includes('127.0.0.1'), 'the engine is not named to callers')
      }))

test('the log has status, type and code of an error, and no text of the engine', async () => {
  const key = 'sk-engine-1234'
  const say = (error: object) =>
    fault({ kind: 'body', status: 400, body: JSON.stringify({ error }) })
  const cases: ReadonlyArray<readonly [error: object, cause: string]> = [
    [
      { message: 'I was charged twice.', type: 'invalid_request_error', code: 'model_not_found' },
      'the engine returned 400 (invalid_request_error, model_not_found)',
    ],
    [{ message: 'x', type: 'I was charged', code: key }, 'the engine returned 400'],
    [{ message: 'x', type: 'a'.repeat(101), code: 400 }, 'the engine returned 400'],
  ]
  for (const [error, cause] of cases)
    await withModelServer(say(error), async ({ url }) => {
      const asked = ask(url, [['q', noul]], { apiKey: new Secret(key) })
      assert.equal((await expectFailure(asked, 'engine_error', /returned 400: /)).cause, cause)
    })
})

test('a null log-probability beside others is a probability of zero', () => {
  const body =
    '{"choices":[{"logprobs":{"content":[{"token":"A","logprob":0,"bytes":null,"top_logprobs":[{"token":"A","logprob":0},{"token":"B","logprob":null}]}]}}]}'
  return withModelServer(fault({ kind: 'body', body }), async ({ url }) => {
    const { answers, usage } = await expectAnswer(ask(url, [['q', noul]]))
    assert.deepEqual(answers, [{ type: 'noul', yes: 1 }])
    assert.deepEqual(usage, { input_tokens: null, output_tokens: null })
  })
})

test('reports a refused connection, and names the host only in the log', async () => {
  const failure = await expectFailure(
    ask('http://127.0.0.1:1/v1', [['q', noul]]),
    'engine_error',
    /^question "q": the engine cannot be reached: connection refused$/,
  )
  assert.equal(failure.cause, 'connection refused (127.0.0.1:1)')
})

test('reads the lengths that older versions of llama.cpp send beside their message', async () => {
  const error = {
    code: 500,
    message: 'the request exceeds the available context size. try increasing the context size',
    type: 'exceed_context_size_error',
    n_prompt_tokens: 9001,
    n_ctx: 8192,
  }
  const llama = await startHttpServer((_, response) =>
    response.writeHead(500).end(JSON.stringify({ error })),
  )
  await expectFailure(
    ask(`${llama.url}/v1`, [['q', noul]]),
    'max_tokens_exceeded',
    /is too long for the engine: 9001 tokens, at most 8192$/,
  )
  await llama.close()
})

test('passes on the wait the engine asks for', () =>
  withModelServer(fault({ kind: 'status', status: 429 }), async ({ url }) => {
    const failure = await expectFailure(ask(url, [['q', noul]]), 'overloaded_error', /./)
    assert.equal(failure.headers?.['retry-after-ms'], '1')
  }))

test('retries as the client library does', () =>
  withModelServer(
    { fault: (call) => (call <= 2 ? { kind: 'status', status: 503 } : undefined) },
    async ({ url, bodies }) => {
      await expectAnswer(ask(url, [['q', noul]], { maxRetries: 2 }))
      assert.equal(bodies.length, 3)
      assert.equal(new Set(bodies).size, 1)
    },
  ))

test('the first failure ends the calls under way and starts no other', () =>
  withModelServer(
    { fault: (call) => (call === 2 ? { kind: 'status', status: 500 } : { kind: 'stall' }) },
    async ({ url, bodies }) => {
      const questions = Array.from({ length: 9 }, (_, i) => [`q${i}`, noul] as const)
      await expectFailure(ask(url, questions, { concurrency: 3 }), 'engine_error', /returned 500/)
      assert.ok(bodies.length <= 3)
    },
  ))

test('stops its calls when the request ends', () =>
  withModelServer(fault({ kind: 'stall' }), async ({ url, bodies }) => {
    const gone = new AbortController()
    const asked = ask(url, three, {}, '', gone.signal)
    await until(() => bodies.length === 3)
    gone.abort()
    await expectFailure(asked, 'engine_error', /was cancelled/)
  }))

test('if an engine is killed under load, every request ends with a clear error, and answers return with the engine', async () => {
  const fault = (call: number): Fault | undefined => (call > 10 ? { kind: 'stall' } : undefined)
  const server = await startModelServer({ shape: 'vllm', model: 'small', prefer, fault })
  const load = Array.from({ length: 10 }, () => ask(server.url, three))
  await until(() => server.bodies.length > 10)
  await server.close()
  for (const outcome of await Promise.all(load)) {
    if (E.isLeft(outcome)) assert.equal(outcome.left.type, 'engine_error')
  }
  assert.ok((await Promise.all(load)).some(E.isLeft))
  await withModelServer({}, async ({ url }) => {
    await expectAnswer(ask(url, three))
  })
})

const startFaults: ReadonlyArray<
  readonly [what: string, Partial<ModelServerOptions>, Partial<OpenaiOptions>, RegExp]
> = [
  ['the model', {}, { model: 'large' }, /does not list the model "large"; it lists small: pass/],
  [
    'missing log-probabilities',
    fault({ kind: 'body', body: '{"choices":[{"index":0,"message":{"content":"A"}}]}' }),
    {},
    /returned no log-probabilities for the model "small".*0\.12\.11/,
  ],
  [
    'mass elsewhere',
    { letters: 0.02 },
    {},
    /puts only 2\.0 % of its probability on the option letters; likeliest are "The" \(20 %\).*--engine-body/,
  ],
  ['a short list', { listed: 1 }, {}, /cannot be used: it listed 1 likely tokens/],
  ['a refusal', fault({ kind: 'status', status: 422 }), {}, /returned 422: it failed/],
  ['a missing key', { apiKey: 'k' }, {}, /returned 401/],
]

for (const [what, options, engine, message] of startFaults) {
  test(`an engine that cannot be used ends the start, and says plainly what is wrong: ${what}`, () =>
    withModelServer(options, async ({ url }) => {
      const started = await startAt(url, engine)
      assert.ok(E.isLeft(started) && started.left._tag === 'Usage')
      assert.match(started.left.message, message)
      assert.ok(started.left.message.startsWith(`engine openai: engine ${url}: `))
    }))
}

const canPing = async (engine: AnsweringEngine): Promise<boolean> =>
  E.isRight(await (engine.ping?.(new AbortController().signal) ?? assert.fail())())

test('starts without an engine that cannot be reached, and checks it at the first contact', async () => {
  let isAway = true
  const fault = (): Fault | undefined =>
    isAway ? { kind: 'status', status: 503, message: 'loading' } : undefined
  await withModelServer({ fault }, async ({ url, bodies }) => {
    const started = await startAt(url)
    assert.ok(E.isRight(started))
    const engine = started.right
    assert.equal(await canPing(engine), false)
    await expectFailure(
      askEngine(engine, three),
      'overloaded_error',
      /^the engine is overloaded or not/,
    )
    isAway = false
    const before = bodies.length
    await Promise.all([1, 2].map(() => expectAnswer(askEngine(engine, three))))
    assert.equal(bodies.length, before + 1 + 2 * three.length, 'checked once for both')
    assert.equal(await canPing(engine), true)
  })
})

test("starts if nothing listens at the engine's address", async () => {
  const started = await startAt('http://127.0.0.1:1/v1')
  assert.ok(E.isRight(started))
  assert.equal(await canPing(started.right), false)
  const failure = await expectFailure(
    askEngine(started.right, three),
    'engine_error',
    /^the engine cannot be reached: connection refused$/,
  )
  assert.equal(failure.cause, 'connection refused (127.0.0.1:1)')
})

test('reports the fault that the check finds at the first contact to callers without the model list', async () => {
  let isAway = true
  const fault = (): Fault | undefined => (isAway ? { kind: 'status', status: 503 } : undefined)
  await withModelServer({ fault, letters: 0.02 }, async ({ url }) => {
    const started = await startAt(url)
    assert.ok(E.isRight(started))
    isAway = false
    await expectFailure(
      askEngine(started.right, three),
      'engine_error',
      /^the model "small" does not answer with letters$/,
    )
    assert.equal(await canPing(started.right), false)
  })
})

/** Refusals of servers that want requests in another form, and what is then sent. */
const forms: ReadonlyArray<
  readonly [what: string, refuse: NonNullable<ModelServerOptions['refuse']>, sent: object]
> = [
  [
    'max_completion_tokens',
    (body) =>
      'max_tokens' in body
        ? "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        : undefined,
    { max_tokens: undefined, max_completion_tokens: 1, top_logprobs: 20 },
  ],
  [
    'a list of 5',
    ({ top_logprobs }) =>
      Number(top_logprobs) > 5 ? 'top_logprobs must be between 0 and 5' : undefined,
    { max_tokens: 1, max_completion_tokens: undefined, top_logprobs: 5 },
  ],
]

for (const [what, refuse, expected] of forms) {
  test(`the check finds out in which form an engine takes requests: ${what}`, () =>
    withModelServer({ refuse }, async ({ url, bodies }) => {
      const started = await startAt(url)
      assert.ok(E.isRight(started))
      const labels = Array.from({ length: 30 }, (_, i) => (i === 17 ? 'angry' : `label ${i}`))
      const { answers } = await expectAnswer(askEngine(started.right, [['q', choice(labels)]]))
      assert.ok(answers[0]?.type === 'choice')
      near(answers[0].probabilities[17], strong / (strong + 29), 0.02)
      const last = JSON.parse(bodies.at(-1) ?? '')
      for (const [name, value] of Object.entries(expected)) assert.equal(last[name], value, name)
    }))
}

test('adds /v1 to the base address, and finds models that Ollama lists with a tag', () =>
  withModelServer({ shape: 'ollama', model: 'small:latest' }, async ({ url }) => {
    const started = await startAt(url.replace('/v1', ''), { model: 'small:latest' })
    assert.ok(E.isRight(started))
  }))

test.run()
