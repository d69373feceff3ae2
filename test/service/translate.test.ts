import fc from 'fast-check'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { loadDialect } from '../../lib/client/dialects/load-dialect'
import { encode } from '../../lib/codec/json/draft'
import type { AskRequest } from '../../lib/codec/request'
import { decodeRequest } from '../../lib/codec/request'
import { encodeResponse } from '../../lib/codec/response'
import { Secret } from '../../lib/failure/text/secret'
import { createLexicalEngine } from '../../lib/service/engines/lexical/engine'
import { resolveUpstream } from '../../lib/service/engines/upstream/destination'
import { closeAfterEach, startHttpServer } from '../support/servers'
import { openUpstream, post, type RunningService, startService } from './run-service'

const test = suite('service: callers and upstream services that speak different dialects')
closeAfterEach(test)
let back: RunningService

test.before(async () => {
  back = await startService(createLexicalEngine())
})
test.after(() => back.stop())

const spoken = ['questions', 'systemone', 'decisions'] as const

/** Asks the service at `url` in a dialect, as `svc ask --dialect` does. */
const askIn = async (name: (typeof spoken)[number], url: string, request: AskRequest) => {
  const dialect = await loadDialect(name)
  const asked = { request, model: 'svc-latest', service: name }
  const body = dialect.encodeRequest(asked)
  if (E.isLeft(body)) throw new Error(JSON.stringify(body.left))
  const response = await post(url, encode(body.right).toString(), {}, dialect.askPath)
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.is(response.status, 200, bytes.toString())
  const reply = { body: bytes, requestId: '', prepare: (text: string) => text }
  const read = dialect.decodeResponse(asked, reply)
  if (E.isLeft(read)) throw new Error(JSON.stringify(read.left))
  return JSON.parse(encode({ answers: encodeResponse(read.right).answers }).toString())
}

const text = fc.oneof(
  fc.constantFrom(
    'charged twice',
    'calm',
    'Fix it now.',
    '__proto__',
    '10',
    'toString',
    '\u0000"\\',
  ),
  fc.string({ unit: 'grapheme', minLength: 1 }),
)
const labels = fc.uniqueArray(text, { minLength: 2, maxLength: 6 })
const question = fc.oneof(
  fc.record({ type: fc.constant('noul'), instructions: text }),
  fc.record({
    type: fc.constant('choice'),
    instructions: text,
    criteria: labels.chain((names) =>
      fc
        .array(fc.option(text), { minLength: names.length, maxLength: names.length })
        .map((descriptions) => new Map(names.map((name, i) => [name, descriptions[i]]))),
    ),
  }),
  fc.record({
    type: fc.constant('score'),
    instructions: text,
    criteria: fc.array(text, { minLength: 2, maxLength: 10 }),
  }),
)

/** JSON text in which the members of a map keep their order, whatever their names are. */
const write = (value: unknown): string => {
  if (value instanceof Map)
    return `{${[...value].map(([key, one]) => `${JSON.stringify(key)}:${write(one)}`).join(',')}}`
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? write(new Map(Object.entries(value)))
    : JSON.stringify(value)
}

const request = fc
  .record({
    state: text,
    questions: fc.uniqueArray(fc.tuple(text, question), {
      selector: ([id]) => id,
      minLength: 1,
      maxLength: 5,
    }),
  })
  .map(({ state, questions }) => {
    const read = decodeRequest(Buffer.from(write({ state, questions: new Map(questions) })))
    if (E.isLeft(read)) throw new Error(JSON.stringify(read.left))
    return read.right
  })

test("questions in any dialect get the engine's answers, also through another service", async () => {
  const fronts = await Promise.all(
    spoken.map(async (dialect) => startService(await openUpstream({ url: back.url, dialect }))),
  )
  await fc.assert(
    fc.asyncProperty(request, async (asked) => {
      const direct = await askIn('questions', back.url, asked)
      for (const name of spoken)
        for (const { url } of [back, ...fronts]) assert.equal(await askIn(name, url, asked), direct)
    }),
    { numRuns: 25 },
  )
  for (const front of fronts) await front.stop()
})

const noul = { type: 'noul', instructions: 'Late?' }
const exampleRequest = { state: 'x', questions: { a: noul, b: noul } }
const decisions = {
  model: 'svc-latest',
  input: 'x',
  questions: ['a', 'b'].map((name) => ({ type: 'predicate', name, instructions: 'Late?' })),
}

/** A service that answers every question with `body`, and the requests it has seen. */
const startUpstream = async (body: unknown, status = 200, headers = {}) => {
  const seen: Array<{ url: string; body: unknown; key: unknown }> = []
  const server = await startHttpServer((incoming, outgoing) => {
    let given = ''
    incoming.on('data', (chunk) => {
      given += chunk
    })
    incoming.on('end', () => {
      const key = incoming.headers['x-goog-api-key'] ?? incoming.headers.authorization
      seen.push({ url: incoming.url ?? '', body: given === '' ? '' : JSON.parse(given), key })
      outgoing.writeHead(status, headers).end(JSON.stringify(body))
    })
  })
  return { ...server, seen }
}

const refusing = {
  model: 'gpt',
  answers: [
    { type: 'predicate', name: 'a', probability: 0.5 },
    { type: 'refusal', name: 'b' },
  ],
}

test('passes a refusal on; it is a 502 that names the question in dialects without refusals', async () => {
  const other = await startUpstream(refusing)
  const own = await startUpstream({
    model: 'm',
    usage: {},
    answers: { a: { type: 'noul', noul: 0.5 }, b: { type: 'refusal', reason: 'no' } },
  })
  for (const options of [
    { url: other.url, dialect: 'decisions' },
    { url: own.url, dialect: 'questions' },
  ] as const) {
    const front = await startService(await openUpstream(options))
    const passed = await post(front.url, exampleRequest)
    assert.is(passed.status, 200)
    const { answers } = (await passed.json()) as { answers: Record<string, { type: string }> }
    assert.is(answers.b?.type, 'refusal')
    const listed = await post(front.url, decisions, {}, '/v1/decisions')
    const { answers: list } = (await listed.json()) as { answers: ReadonlyArray<unknown> }
    assert.equal(list[1], { type: 'refusal', name: 'b' })
    const failed = await post(front.url, exampleRequest, {}, '/v1/systemone')
    assert.is(failed.status, 502)
    assert.match(await failed.text(), /no answer to the question \\"b\\": it was refused/)
  }
})

test('Gemini behind it: its key header, model and form; its answers, and its blocks as refusals', async () => {
  const gemini = await startUpstream({
    answers: { a: { type: 'noul', noul: 0.9 }, b: { type: 'noul', noul: 0.1 } },
  })
  const front = await startService(await openUpstream({ url: gemini.url, provider: 'gemini' }))
  const response = await post(front.url, decisions, {}, '/v1/decisions')
  const { model, answers } = (await response.json()) as Record<string, unknown>
  assert.is(model, 'gemini-decision-1')
  assert.equal(answers, [
    { type: 'predicate', name: 'a', probability: 0.9 },
    { type: 'predicate', name: 'b', probability: 0.1 },
  ])
  assert.equal(gemini.seen, [
    {
      url: '/v1beta/decisions',
      body: { model: 'gemini-decision-1', input: 'x', questions: { a: noul, b: noul } },
      key: 'engine-key',
    },
  ])
  await front.stop()
  await gemini.close()
  const blocked = await startUpstream({ prompt_feedback: { block_reason: 'safety' } }, 400)
  const behind = await startService(await openUpstream({ url: blocked.url, provider: 'gemini' }))
  assert.match(await (await post(behind.url, exampleRequest)).text(), /"b":\{"type":"refusal"/)
})

test('failures of the upstream service, in the caller’s form', async () => {
  const error = {
    message: 'Slow down.',
    type: 'requests',
    param: null,
    code: 'rate_limit_exceeded',
  }
  const cases = [
    [429, { error }, 429, 'rate_limit_error', /Slow down/],
    [404, { error: { message: 'No such model.' } }, 404, 'not_found', /No such model/],
    [
      401,
      { error },
      502,
      'engine_auth',
      /refused the API key of this one \(SERVICE_ENGINE_API_KEY\)/,
    ],
    [200, { error: { ...error, code: 429 } }, 429, 'rate_limit_error', /Slow down/],
    [200, { answers: [] }, 502, 'engine_error', /no usable answer/],
    [500, {}, 500, 'engine_error', /./],
  ] as const
  for (const [status, body, expected, type, message] of cases) {
    const failing = await startUpstream(body, status, {
      'retry-after': '7',
      'x-request-id': 'req_9',
    })
    const front = await startService(await openUpstream({ url: failing.url, dialect: 'decisions' }))
    const response = await post(front.url, exampleRequest)
    assert.is(response.status, expected)
    const { detail } = (await response.json()) as {
      detail: { error_type: string; message: string }
    }
    assert.is(detail.error_type, type)
    assert.match(detail.message, message)
    if (expected === 429) assert.is(response.headers.get('retry-after'), '7')
  }
})

test('422 for a request that the upstream’s dialect cannot express, and nothing is sent', async () => {
  const other = await startUpstream(refusing)
  const front = await startService(await openUpstream({ url: other.url, provider: 'openai' }))
  const response = await post(front.url, { state: 'x', questions: { a: { type: 'noul' } } })
  assert.is(response.status, 422)
  assert.match(await response.text(), /openai needs instructions/)
  assert.equal(other.seen, [])
})

test('sends a key only to the service that it was given for', async () => {
  const env = {
    OPENAI_API_KEY: 'own',
    TYPESAFE_API_KEY: 'other',
    OPENAI_BASE_URL: 'http://elsewhere.example',
  }
  const own = 'https://api.openai.com/v1/decisions'
  const proxy = 'http://proxy.example'
  const cases: ReadonlyArray<readonly [object, string | undefined, string]> = [
    [{ provider: 'openai' }, undefined, `${own} own`],
    [{ provider: 'openai' }, 'engine', `${own} engine`],
    [{ provider: 'openai', url: proxy }, 'engine', `${proxy}/v1/decisions engine`],
    [
      { provider: 'openai', url: proxy },
      undefined,
      'no API key for openai: set SERVICE_ENGINE_API_KEY',
    ],
    [
      { dialect: 'decisions', url: proxy },
      undefined,
      'no API key for decisions: set SERVICE_ENGINE_API_KEY',
    ],
    [{ url: proxy }, undefined, '--engine upstream needs SERVICE_ENGINE_API_KEY'],
    [{ url: proxy }, 'engine', `${proxy}/v1/questions engine`],
    [{ provider: 'ollama' }, undefined, 'http://127.0.0.1:11434/v1/systemone none'],
    [{ provider: 'litellm' }, 'engine', 'litellm has no address of its own: pass --engine-url'],
    [
      { provider: 'openai', dialect: 'gemini' },
      'engine',
      '--engine-dialect: openai speaks decisions, not gemini',
    ],
    [
      { dialect: 'decisions' },
      'engine',
      '--engine upstream needs --engine-url or --engine-provider',
    ],
  ]
  for (const [flags, key, expected] of cases) {
    const { url, provider, dialect } = flags as Record<string, never>
    const choice = {
      'engine-url': url,
      'engine-provider': provider,
      'engine-dialect': dialect,
      'engine-model': undefined,
      key: key === undefined ? undefined : new Secret(key),
    }
    const place = await resolveUpstream(choice, env)()
    const seen = E.isRight(place)
      ? `${place.right.ask.url} ${place.right.key?.reveal() ?? 'none'}`
      : 'message' in place.left && place.left.message
    assert.is(seen, expected)
  }
})

test.run()
