import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import type { OpenaiOptions } from '../../../lib/service/engines/openai/options'
import { httpServer } from '../../support/servers'
import { until } from '../../support/until'
import { answered, ask, engineAt, failed, noul, prefer, three, withStandIn } from './openai-support'
import { type Fault, type StandInOptions, startStandIn } from './stand-in'

const test = suite('openai engine failures')

const cases: ReadonlyArray<readonly [what: string, Partial<StandInOptions>, type: string, RegExp]> =
  [
    ['too little mass on the letters', { letters: 0.4 }, 'engine_error', /hold only 40 % of the/],
    ['a list of one', { listed: 1 }, 'engine_error', /listed 1 likely tokens for 2 options/],
    ['an error', fault({ kind: 'status', status: 500 }), 'engine_error', /returned 500: it failed/],
    ['a gateway timeout', fault({ kind: 'status', status: 504 }), 'engine_timeout', /returned 504/],
    [
      'no room',
      fault({ kind: 'status', status: 429 }),
      'overloaded_error',
      /overloaded or not ready/,
    ],
    [
      'a loading model',
      fault({ kind: 'status', status: 503 }),
      'overloaded_error',
      /not ready: it failed/,
    ],
    [
      'a state that is too long, without numbers',
      fault({
        kind: 'status',
        status: 400,
        message: 'the input length exceeds the context length',
      }),
      'max_tokens_exceeded',
      /the state or the question is too long for the engine: the input length exceeds/,
    ],
    ...tooLongMessages().map(
      ([engine, status, message]) =>
        [
          `a state that is too long, in the words of ${engine}`,
          fault({ kind: 'status', status, message }),
          'max_tokens_exceeded',
          /the state or the question is too long for the engine: 9001 tokens, at most 8192$/,
        ] as const,
    ),
    [
      'a failure that mentions a context',
      fault({ kind: 'status', status: 500, message: 'context deadline exceeded after 30 of 60 s' }),
      'engine_error',
      /returned 500: context deadline/,
    ],
    [
      'a refused parameter',
      fault({ kind: 'status', status: 400, message: "Gaudi doesn't support logprobs." }),
      'engine_error',
      /returned 400: Gaudi/,
    ],
    [
      'a refused key, of which the engine tells parts',
      fault({ kind: 'status', status: 401, message: 'Incorrect API key provided: sk-12***89.' }),
      'engine_auth',
      /: the engine refused the API key of this service \(SERVICE_ENGINE_API_KEY\)$/,
    ],
    [
      'a redirect, whose target is for the log',
      fault({ kind: 'status', status: 307, message: 'moved to http://inner.test/' }),
      'engine_error',
      /: the engine returned 307, a redirect$/,
    ],
    ['a cut before the response', fault({ kind: 'reset' }), 'engine_error', /cannot be reached: /],
    ['a cut in the body', fault({ kind: 'cut' }), 'engine_error', /cannot be reached: /],
    ['a stall', fault({ kind: 'stall' }), 'engine_timeout', /did not answer within 200ms/],
    ['no JSON', fault({ kind: 'body', body: '<html>' }), 'engine_error', /cannot be read: line 1/],
    ['no choices', fault({ kind: 'body', body: '{}' }), 'engine_error', /cannot be read: choices/],
    ...[
      '{"choices":[{"index":0,"message":{"content":"A"}}]}',
      '{"choices":[{"logprobs":null}]}',
      '{"choices":[{"logprobs":{"content":null}}]}',
      '{"choices":[{"logprobs":{"content":[]}}]}',
    ].map(
      (body) =>
        [
          body,
          fault({ kind: 'body', body }),
          'engine_error',
          /returned no log-probabilities/,
        ] as const,
    ),
    [
      'other log-probabilities',
      fault({
        kind: 'body',
        body: '{"choices":[{"logprobs":{"content":[{"token":"A","logprob":21.5,"top_logprobs":[{"token":"A","logprob":21.5},{"token":"B","logprob":3}]}]}}]}',
      }),
      'engine_error',
      /no logarithms of probabilities/,
    ],
    [
      'a token without a logprob',
      fault({ kind: 'body', body: '{"choices":[{"logprobs":{"content":[{"token":"A"}]}}]}' }),
      'engine_error',
      /has no token and logprob/,
    ],
  ]

function tooLongMessages(): ReadonlyArray<readonly [string, number, string]> {
  const most = "This model's maximum context length is 8192 tokens. However,"
  return [
    ['OpenAI', 400, `${most} your messages resulted in 9001 tokens. Please reduce the length.`],
    ['vLLM', 400, `${most} you requested 9001 tokens (9000 in the messages, 1 in the completion).`],
    ['vLLM 0.14', 400, `${most} your request has 9001 input tokens. Please reduce the length.`],
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
      'LM Studio',
      400,
      'Trying to keep the first 9001 tokens when context the overflows. However, the model is loaded ' +
        'with context length of only 8192 tokens, which is not enough.',
    ],
    [
      'LM Studio 0.4',
      500,
      'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9001>= n_ctx: 8192).',
    ],
  ]
}

function fault(one: Fault): Partial<StandInOptions> {
  return { fault: () => one }
}

for (const [what, options, type, message] of cases) {
  test(`a failed question fails the request, and names it: ${what}`, () =>
    withStandIn(options, async ({ url }) => {
      const timeout = type === 'engine_timeout' ? { timeout: 200_000_000n } : {}
      const failure = await failed(ask(url, [['my "q"', noul]], timeout), type, message)
      assert.ok(failure.message.startsWith('question "my \\"q\\"": '))
      assert.ok(!failure.message.includes('127.0.0.1'), 'the engine is not named to callers')
    }))
}

test('a null log-probability beside others is a probability of zero', () => {
  const body =
    '{"choices":[{"logprobs":{"content":[{"token":"A","logprob":0,"bytes":null,"top_logprobs":[{"token":"A","logprob":0},{"token":"B","logprob":null}]}]}}]}'
  return withStandIn(fault({ kind: 'body', body }), async ({ url }) => {
    const { answers, usage } = await answered(ask(url, [['q', noul]]))
    assert.deepEqual(answers, [{ type: 'noul', yes: 1 }])
    assert.deepEqual(usage, { input_tokens: null, output_tokens: null })
  })
})

test('a refused connection is clear, and only the log names the host', async () => {
  const failure = await failed(
    ask('http://127.0.0.1:1/v1', [['q', noul]]),
    'engine_error',
    /^question "q": the engine cannot be reached: connection refused$/,
  )
  assert.equal(failure.cause, 'connection refused (127.0.0.1:1)')
})

test('older versions of llama.cpp tell the lengths beside their message', async () => {
  const error = {
    code: 500,
    message: 'the request exceeds the available context size. try increasing the context size',
    type: 'exceed_context_size_error',
    n_prompt_tokens: 9001,
    n_ctx: 8192,
  }
  const llama = await httpServer((_, response) =>
    response.writeHead(500).end(JSON.stringify({ error })),
  )
  await failed(
    ask(`${llama.url}/v1`, [['q', noul]]),
    'max_tokens_exceeded',
    /is too long for the engine: 9001 tokens, at most 8192$/,
  )
  await llama.close()
})

test('passes on the wait the engine asks for', () =>
  withStandIn(fault({ kind: 'status', status: 429 }), async ({ url }) => {
    const failure = await failed(ask(url, [['q', noul]]), 'overloaded_error', /./)
    assert.equal(failure.headers?.['retry-after-ms'], '1')
  }))

test('retries as the client library does', () =>
  withStandIn(
    { fault: (call) => (call <= 2 ? { kind: 'status', status: 503 } : undefined) },
    async ({ url, bodies }) => {
      await answered(ask(url, [['q', noul]], { maxRetries: 2 }))
      assert.equal(bodies.length, 3)
      assert.equal(new Set(bodies).size, 1)
    },
  ))

test('the first failure ends the calls under way and starts no other', () =>
  withStandIn(
    { fault: (call) => (call === 2 ? { kind: 'status', status: 500 } : { kind: 'stall' }) },
    async ({ url, bodies }) => {
      const questions = Array.from({ length: 9 }, (_, i) => [`q${i}`, noul] as const)
      await failed(ask(url, questions, { concurrency: 3 }), 'engine_error', /returned 500/)
      assert.ok(bodies.length <= 3)
    },
  ))

test('ends with the request', () =>
  withStandIn(fault({ kind: 'stall' }), async ({ url, bodies }) => {
    const gone = new AbortController()
    const asked = ask(url, three, {}, '', gone.signal)
    await until(() => bodies.length === 3)
    gone.abort()
    await failed(asked, 'engine_error', /was cancelled/)
  }))

test('an engine killed under load: every request ends clearly, and answers are back with it', async () => {
  const fault = (call: number): Fault | undefined => (call > 10 ? { kind: 'stall' } : undefined)
  const standIn = await startStandIn({ shape: 'vllm', model: 'small', prefer, fault })
  const load = Array.from({ length: 10 }, () => ask(standIn.url, three))
  await until(() => standIn.bodies.length > 10)
  await standIn.close()
  for (const outcome of await Promise.all(load)) {
    if (E.isLeft(outcome)) assert.equal(outcome.left.type, 'engine_error')
  }
  assert.ok((await Promise.all(load)).some(E.isLeft))
  await withStandIn({}, async ({ url }) => {
    await answered(ask(url, three))
  })
})

const probed = (url: string, options: Partial<OpenaiOptions> = {}) =>
  (engineAt(url, options).probe?.() ?? assert.fail())()

const probes: ReadonlyArray<
  readonly [what: string, Partial<StandInOptions>, Partial<OpenaiOptions>, RegExp]
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
  ['an error', fault({ kind: 'status', status: 500 }), {}, /returned 500: it failed/],
  ['a missing key', { apiKey: 'k' }, {}, /returned 401/],
]

for (const [what, options, engine, message] of probes) {
  test(`the probe says plainly what is wrong: ${what}`, () =>
    withStandIn(options, async ({ url }) => {
      const failure = await failed(probed(url, engine), 'engine_error', message)
      assert.ok(failure.message.startsWith(`engine ${url}: `))
    }))
}

test('the probe says that nothing listens', async () => {
  await failed(
    probed('http://127.0.0.1:1/v1'),
    'engine_error',
    /^engine http:\/\/127\.0\.0\.1:1\/v1: connection error: connection refused/,
  )
})

test('the base address may lack /v1, and Ollama lists models with a tag', () =>
  withStandIn({ shape: 'ollama', model: 'small:latest' }, async ({ url }) => {
    const outcome = await probed(url.replace('/v1', ''), { model: 'small:latest' })
    assert.ok(E.isRight(outcome))
  }))

test.run()
