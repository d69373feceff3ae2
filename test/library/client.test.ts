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
import { good, type Reply, type Service, startService } from './support'

const test = suite('library/client')

const questions = {
  billing: noul('Is this about a bill?', { true: 'money is named' }),
  tone: choice('What is the tone?', ['calm', 'angry']),
  urgency: score('How urgent?', ['not at all', 'somewhat', 'very']),
}

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

/** Runs `work` with a client of a service that answers like this. */
const withClient = async (
  answer: (number: number) => Reply | undefined,
  work: (client: ReturnType<typeof createClient>, service: Service) => Promise<void>,
  options: ClientOptions = {},
): Promise<void> => {
  const service = await startService((_, number) => answer(number))
  const settings = { baseUrl: service.url, apiKey: 'demo-key', ...options }
  try {
    await work(createClient(settings), service)
  } finally {
    await service.close()
  }
}

const rejection = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.unreachable('it resolved'),
    (error: unknown) => error,
  )

test('asks, and reads every type of answer', () =>
  withClient(
    () => ({ body: good(answers) }),
    async (client, { seen }) => {
      const { json, ...response } = await client.ask({ text: 'I was charged twice.' }, questions)
      assert.equal(JSON.parse(JSON.stringify(response)), {
        model: 'svc-1.13.0',
        answers,
        request_id: 'req_1',
        usage: { input_tokens: 21, output_tokens: 4 },
      })
      const { urgency } = response.answers
      assert.is(urgency.type === 'score' && urgency.level, 2)
      assert.is(seen[0]?.path, '/v1/questions')
      assert.is(seen[0]?.headers.authorization, 'Bearer demo-key')
      assert.match(String(seen[0]?.headers['user-agent']), /^typed-questions\/\d/)
      assert.equal(JSON.parse(seen[0]?.body ?? ''), {
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
    },
  ))

test('keeps the text of numbers', () =>
  withClient(
    () => ({
      body: '{"model":"m","answers":{"q":{"type":"noul","noul":0.50,"n":12345678901234567890}}}',
    }),
    async (client) => {
      const { json, answers: received } = await client.ask('x', { q: noul('?') })
      assert.is(received.q.json, '{"type":"noul","noul":0.50,"n":12345678901234567890}')
      assert.match(json, /^\{"model":"m","answers":\{"q":\{"type":"noul","noul":0\.50,/)
      assert.is(received.q.type === 'noul' && received.q.noul, 0.5)
    },
  ))

test('an answer that the service left out is a refusal', () =>
  withClient(
    () => ({ body: good({ a: { type: 'refusal', reason: 'no' } }) }),
    async (client) => {
      const { answers: received } = await client.ask('x', { a: noul('?'), b: noul('?') })
      assert.is(received.a.type === 'refusal' && received.a.reason, 'no')
      assert.is(received.b.type, 'refusal')
    },
    { dialect: 'systemone' },
  ))

test('answers that do not fit the questions are invalid', async () => {
  const cases = [
    [{ ...answers, billing: answers.tone }, 'answers.billing.type'],
    [{ ...answers, tone: { ...answers.tone, choice: 'loud' } }, 'answers.tone.choice'],
  ] as const
  for (const [received, path] of cases)
    await withClient(
      () => ({ body: good(received) }),
      async (client) => {
        const error = await rejection(client.ask('x', questions))
        assert.ok(error instanceof InvalidResponseError)
        assert.match(error.message, `"${path}"`)
      },
    )
})

test('probabilities are there for each label or not at all', () =>
  withClient(
    () => ({
      body: good({
        ...answers,
        tone: { ...answers.tone, probabilities: { angry: 0.8 } },
        urgency: { ...answers.urgency, probabilities: {} },
      }),
    }),
    async (client) => {
      const { tone, urgency } = (await client.ask('x', questions)).answers
      assert.is('probabilities' in tone, false)
      assert.is('level' in urgency, false)
      assert.match(tone.json, /"probabilities":\{"angry":0.8\}/)
    },
  ))

test('errors have classes, and the fields of the envelope', async () => {
  const cases = [
    [401, AuthError, 'auth', 1],
    [429, RateLimitError, 'rate_limit', 3],
    [503, ServerError, 'server', 3],
  ] as const
  for (const [status, type, kind, attempts] of cases)
    await withClient(
      () => ({
        status,
        body: { detail: 'no demo-key' },
        headers: { 'retry-after-ms': '0', 'x-service-request-id': 'req_9' },
      }),
      async (client) => {
        const error = await rejection(client.ask('x', questions))
        assert.ok(error instanceof type && error instanceof TypedQuestionsError)
        const { message, requestId } = error
        assert.equal(
          { kind: error.kind, status: error.status, attempts: error.attempts, requestId, message },
          {
            kind,
            status,
            attempts,
            requestId: 'req_9',
            message: `POST /v1/questions returned ${status}: no [redacted] (request id req_9)`,
          },
        )
        const result = await client.askResult('x', questions)
        assert.ok(!result.ok && result.error instanceof type)
      },
    )
})

test('questions that cannot be asked are not sent', () =>
  withClient(
    () => ({ body: good(answers) }),
    async (client, { seen }) => {
      const circle: unknown[] = []
      circle.push(circle)
      const cases = [
        [client.ask('x', {}), ValidationError],
        [client.ask('x', { q: choice('?', []) }), ValidationError],
        [client.ask(undefined, questions), UsageError],
        [client.ask(circle, questions), UsageError],
        [client.ask('x', questions, { timeout: -1 }), UsageError],
        [client.ask('x', questions, { retries: 1 } as CallOptions), UsageError],
        [client.ask('x', { q: { type: 'noul', instruction: '?' } }), UsageError],
      ] as const
      for (const [promise, type] of cases) {
        const error = await rejection(promise)
        assert.ok(error instanceof type, String(error))
        assert.is(error.attempts, 0)
      }
      assert.equal(seen, [])
      assert.throws(() => choice('?', ['2', '1']), /rising order/)
      assert.equal(Object.keys(choice('?', ['1', '2']).criteria), ['1', '2'])
    },
  ))

test('options are checked at once', () => {
  const cases = [
    [{}, 'no API key for http://127.0.0.1:8787: pass apiKey, and provider or baseUrl to ask'],
    [{ baseURL: 'http://h' }, 'unknown option "baseURL"; did you mean baseUrl?'],
    [{ apiKey: 'k', refusals: 'drop' }, 'refusals must be "return" or "throw"'],
    [{ provider: 'openai' }, 'no API key for openai: pass apiKey'],
    [{ provider: 'litellm', apiKey: 'k' }, 'litellm has no address of its own: pass baseUrl'],
    [{ baseUrl: 'ftp://h', apiKey: 'k' }, 'typesafe: invalid base URL "ftp://h": the scheme must'],
    [{ apiKey: 'k', maxRetries: 0.5 }, 'maxRetries must be a whole number from 0 on, got 0.5'],
  ] as const
  for (const [options, message] of cases)
    assert.throws(
      () => createClient(options as ClientOptions),
      (error: unknown) => error instanceof UsageError && error.message.startsWith(message),
    )
})

test('speaks to providers in their own form', () =>
  withClient(
    () => ({ body: { decisions: [{ type: 'predicate', name: 'q', probability: 0.9 }] } }),
    async (client, { seen }) => {
      const result = await client.askResult('x', { q: noul('?') })
      assert.is(seen[0]?.path, '/v1/decisions')
      assert.is(JSON.parse(seen[0]?.body ?? '').model, 'gpt-6-luna')
      assert.is(result.ok, false)
    },
    { provider: 'openai' },
  ))

test('an abort rejects with the reason of its signal', () =>
  withClient(
    () => undefined,
    async (client) => {
      const halt = new AbortController()
      const asking = rejection(client.askResult('x', questions, { signal: halt.signal }))
      const reason = new Error('enough')
      halt.abort(reason)
      assert.is(await asking, reason)
      const early = await rejection(client.ask('x', questions, { signal: AbortSignal.abort() }))
      assert.ok(early instanceof DOMException && early.name === 'AbortError')
    },
  ))

test('a redirect is not followed', () =>
  withClient(
    () => ({ status: 302, headers: { location: 'http://other.example/' }, body: '' }),
    async (client, { url }) => {
      const other = createClient({ baseUrl: url, apiKey: 'demo-key', fetch })
      for (const one of [client, other]) {
        const result = await one.askResult('x', questions)
        assert.match(result.ok ? '' : result.error.message, 'redirect to http://other.example/')
      }
    },
  ))

test('a fetch of the caller is used, and its answers are the same', () =>
  withClient(
    () => ({ body: good(answers) }),
    async (_, { url, seen }) => {
      const client = createClient({ baseUrl: url, apiKey: 'demo-key', fetch })
      const { model } = await client.ask('x', questions)
      assert.is(model, 'svc-1.13.0')
      assert.is(seen[0]?.headers.authorization, 'Bearer demo-key')
    },
  ))

/** A client of a `fetch` whose response has this body. */
const clientOf = (body: () => AsyncIterable<unknown>) =>
  createClient({
    apiKey: 'k',
    maxRetries: 0,
    timeout: 50,
    fetch: async () => ({ status: 200, headers: new Headers(), body: body() }),
  })

test('a fetch of the caller may give its body as texts, and nothing else', async () => {
  const text = JSON.stringify(good(answers))
  const client = clientOf(async function* () {
    yield text.slice(0, 5)
    yield text.slice(5)
  })
  assert.is((await client.ask('x', questions)).model, 'svc-1.13.0')
  const error = await rejection(
    clientOf(async function* () {
      yield 5
    }).ask('x', questions),
  )
  assert.ok(error instanceof ConnectionError && error.cause instanceof TypeError)
})

test('a fetch of the caller that ignores its signal obeys the time limit', async () => {
  const never = new Promise<never>(() => undefined)
  const silent = createClient({ apiKey: 'k', maxRetries: 0, timeout: 20, fetch: () => never })
  const stalled = clientOf(async function* () {
    yield await never
  })
  for (const client of [silent, stalled]) {
    const error = await rejection(client.ask('x', questions))
    assert.ok(error instanceof ConnectionError && error.code === 'ETIMEDOUT', String(error))
  }
})

test('with refusals thrown, an answer is of its type', () =>
  withClient(
    (number) => ({
      body: good({
        q: number === 0 ? { type: 'noul', noul: 0.5 } : { type: 'refusal', reason: 'no' },
      }),
    }),
    async (_, { url }) => {
      const client = createClient({
        baseUrl: url,
        apiKey: 'k',
        dialect: 'systemone',
        refusals: 'throw',
      })
      const { answers: received } = await client.ask('x', { q: noul('?') })
      assert.is(received.q.noul, 0.5)
      const error = await rejection(client.ask('x', { q: noul('?') }))
      assert.ok(error instanceof RequestError)
      assert.is(error.message, 'the service refused to answer "q": no')
    },
  ))

test('a connection that cannot be made counts its attempts, and has its cause', async () => {
  const client = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', maxRetries: 0 })
  const error = await rejection(client.ask('x', questions))
  assert.ok(error instanceof ConnectionError)
  assert.equal([error.attempts, error.code], [1, 'ECONNREFUSED'])
  assert.is(Object(error.cause).code, 'ECONNREFUSED')
})

test('an error says how long the service asked to wait', () =>
  withClient(
    () => ({ status: 429, headers: { 'retry-after': '7' }, body: {} }),
    async (client) => {
      const error = await rejection(client.ask('x', questions, { maxRetries: 0 }))
      assert.is(error instanceof RateLimitError && error.retryAfter, 7000)
    },
  ))

test('an attempt that takes too long ends', () =>
  withClient(
    () => undefined,
    async (client) => {
      const result = await client.askResult('x', questions, { timeout: 20, maxRetries: 0 })
      assert.match(result.ok ? '' : result.error.message, 'request timed out after 20ms')
    },
  ))

test('lists models', () =>
  withClient(
    () => ({ body: { models: [{ name: 'svc-1', n: 1 }] } }),
    async (client, { seen }) => {
      assert.equal(await client.models(), { models: [{ name: 'svc-1', n: 1 }] })
      assert.is(seen[0]?.path, '/v1/models')
    },
  ))

test('sends the headers of the specification, and no others', () =>
  withClient(
    (number) => ({ body: number === 0 ? good(answers) : { models: [] } }),
    async (client, { seen, url }) => {
      await client.ask('x', questions)
      await client.models()
      const [asked, listed] = seen.map(({ headers: { 'user-agent': _, ...others } }) => others)
      const both = {
        authorization: 'Bearer demo-key',
        accept: 'application/json',
        'accept-encoding': 'gzip, deflate, br',
        host: new URL(url).host,
        connection: 'keep-alive',
      }
      const length = String(seen[0]?.body.length)
      assert.equal(listed, both)
      assert.equal(asked, {
        ...both,
        'content-type': 'application/json',
        'content-length': length,
      })
    },
  ))

test('many calls at a time cause no warning of a leak', () =>
  withClient(
    () => ({ body: good(answers) }),
    async (client) => {
      const warnings: string[] = []
      const note = ({ message }: Error) => warnings.push(message)
      process.on('warning', note)
      await Promise.all(Array.from({ length: 30 }, () => client.ask('x', questions)))
      await new Promise(setImmediate)
      process.off('warning', note)
      assert.equal(warnings, [])
    },
  ))

test('calls share a connection', () =>
  withClient(
    () => ({ body: good(answers) }),
    async (client, service) => {
      await client.ask('x', questions)
      await client.ask('x', questions)
      assert.is(service.connections(), 1)
    },
  ))

test('a state arrives as it is, whatever its characters', async () => {
  const state = { name: 'Grüße aus 北京 👋', lone: '\ud800' }
  await withClient(
    () => ({ body: good(answers) }),
    async (client, { seen }) => {
      await client.ask(state, questions)
      assert.equal(JSON.parse(String(seen[0]?.body)).state, state)
      assert.is(seen[0]?.headers['content-length'], `${Buffer.byteLength(String(seen[0]?.body))}`)
    },
  )
})

test.run()
