/** A hostile service gains nothing by another form of answer. */
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decisionsDialect } from '../../../lib/client/dialects/decisions'
import type { Dialect, ModelRequest } from '../../../lib/client/dialects/dialect'
import { geminiDialect } from '../../../lib/client/dialects/gemini'
import { systemoneDialect } from '../../../lib/client/dialects/systemone'
import { encode } from '../../../lib/codec/json/draft'
import { encodeResponse } from '../../../lib/codec/response'
import { createRedact } from '../../../lib/failure/text/secret'
import type { FetchResponse } from '../../../lib/runtime/runtime'
import { findCiCommands, findControls } from '../../failure/text/find-harm'
import { runMain } from '../../main/run-main'

const test = suite('dialect: hostile services')

const asked: ModelRequest = {
  model: 'm',
  service: 's',
  request: {
    state: 's',
    questions: [['__proto__', { type: 'noul', instructions: 'Q?' }]],
    extra: new Map(),
  },
}

const forms: ReadonlyArray<readonly [Dialect, (members: string) => string]> = [
  [systemoneDialect, (members) => `{"answers":{"__proto__":{"type":"noul","noul":0.5${members}}}}`],
  [geminiDialect, (members) => `{"answers":{"__proto__":{"type":"noul","noul":0.5${members}}}}`],
  [
    decisionsDialect,
    (members) =>
      `{"answers":[{"type":"predicate","name":"__proto__","probability":0.5${members}}]}`,
  ],
]

const read = (dialect: Dialect, body: string) =>
  dialect.decodeResponse(asked, { body: Buffer.from(body), requestId: '', prepare: (text) => text })

const answersIn = (dialect: Dialect, body: string): string => {
  const response = read(dialect, body)
  if (E.isLeft(response)) throw new Error(JSON.stringify(response.left))
  return String(encode(encodeResponse(response.right).answers ?? null))
}

for (const [dialect, form] of forms) {
  test(`${dialect.name}: names such as __proto__ are names like any other`, () => {
    assert.is(
      answersIn(dialect, form(',"__proto__":{"noul":1}')),
      '{"__proto__":{"type":"noul","noul":0.5,"__proto__":{"noul":1}}}',
    )
  })

  test(`${dialect.name}: depth and length cost time in proportion`, () => {
    const deep = `${'['.repeat(900)}${']'.repeat(900)}`
    assert.ok(answersIn(dialect, form(`,"x":${deep}`)).includes(deep))
    const many = Array.from({ length: 50_000 }, (_, index) => `,"k${index}":1`).join('')
    assert.ok(answersIn(dialect, form(many)).includes('"k49999":1'))
  })

  test(`${dialect.name}: any body is either read or refused`, () => {
    const bodies = ['', 'null', '[]', '{}', '{"answers":null}', '{"answers":[1]}', '{"answers":{}}']
    for (const body of [...bodies, '{"answers":[{}]}', '{"error":1}', '{"answers":[[]]}', '\0'])
      read(dialect, body)
  })
}

/** A key, what does harm in a terminal or a CI system's log, and more than any message may hold. */
const key = 'Sk-"s/é1'
const harm = `${key} \u001b[31m\n::error::a\r##[error]b \u202e\u200b ${'x'.repeat(20_000)}`

/** A response of a service: status, headers and body. */
type Sent = readonly [status: number, headers: Readonly<Record<string, string>>, body: unknown]

/** Every place of a response from which a text is shown outside of answers and models, which stay as they came. */
const places: Readonly<Record<string, (good: object, idHeader: string) => Sent>> = {
  model: (good) => [200, {}, { ...good, model: harm }],
  'request id': (good) => [200, {}, { ...good, request_id: harm }],
  'header with the request id': (good, header) => [200, { [header]: harm }, good],
  'request id of a failure': (_, header) => [400, { [header]: harm }, { request_id: harm }],
  'plain text': () => [400, {}, harm],
  HTML: () => [502, {}, `<html><title>${harm}</title><p>${harm}</p></html>`],
  'target of a redirect': () => [302, { location: `//h/${harm}` }, ''],
  'content encoding': (good) => [200, { 'content-encoding': harm }, good],
  'id of an answer': () => [200, {}, { answers: { q: {}, [harm]: { type: 'noul' } } }],
  'name of an answer': () => [200, {}, { answers: [{ type: 'predicate', name: harm }] }],
  'type in a list': () => [200, {}, { answers: [{ type: harm, name: 'q' }] }],
  'block of a request': () => [200, {}, { prompt_feedback: { block_reason: harm } }],
  'message of a block': () => [400, {}, { prompt_feedback: { block_reason_message: harm } }],
  detail: () => [400, {}, { detail: harm }],
  'message of a detail': () => [400, {}, { detail: { error_type: harm, message: harm } }],
  'list of details': () => [422, {}, { detail: [{ loc: [harm], msg: harm }] }],
  ...Object.fromEntries(
    ['message', 'type', 'code', 'param', 'status'].flatMap((name) =>
      [200, 401, 429, 500].map((status) => [
        `${name} of an error with ${status}`,
        (): Sent => [status, {}, { error: { message: 'm', [name]: harm } }],
      ]),
    ),
  ),
}

/** What each dialect answers, and the header of its request id. */
const services: Readonly<Record<string, readonly [idHeader: string, good: object]>> = {
  '': ['x-service-request-id', { model: 'm', answers: { q: { type: 'noul', noul: 1 } } }],
  typesafe: ['x-typesafe-request-id', { answers: { q: { type: 'noul', noul: 1 } } }],
  openai: ['x-request-id', { answers: [{ type: 'predicate', name: 'q', probability: 1 }] }],
  gemini: ['', { answers: { q: { type: 'noul', noul: 1 } } }],
  litellm: ['x-litellm-call-id', { answers: { q: { type: 'noul', noul: 1 } } }],
}

for (const [provider, [idHeader, good]] of Object.entries(services))
  for (const [place, respond] of Object.entries(places))
    test(`${provider || 'svc serve'}: ${place}: redacted, cut and escaped`, async () => {
      const [status, headers, document] = respond({ ...good, data: [] }, idHeader)
      const body = typeof document === 'string' ? document : JSON.stringify(document)
      const fetch = async (): Promise<FetchResponse> => ({
        status,
        header: (name) => headers[name] ?? null,
        body: (async function* () {
          yield Buffer.from(body)
        })(),
      })
      const to = provider === '' ? [] : [`--provider=${provider}`, `--api-key=${key}`]
      for (const line of [
        ['ask', '--state=s', '--noul=q=Is it?', '--log-level=debug'],
        ['models', '--log-level=debug'],
        ['doctor', '--table'],
      ]) {
        const argv = [...line, ...to, '--base-url=http://h.test', '--max-retries=1']
        const { stdout, stderr } = await runMain({ argv, env: { SERVICE_API_KEY: key }, fetch })
        for (const text of [stdout, stderr]) {
          assert.not.match(text.toLowerCase(), key.toLowerCase())
          assert.not.match(text, JSON.stringify(key).slice(1, -1))
          assert.equal(findCiCommands(text), [])
          assert.equal(findControls(text), [])
          assert.ok(text.length < 16 << 10, `${text.length} characters`)
        }
      }
    })

test("decisions: a further field cannot stand in for the value of svc's own form", () => {
  const [, form] = forms[2] ?? []
  assert.is(
    answersIn(decisionsDialect, form?.(',"noul":0.9') ?? ''),
    '{"__proto__":{"type":"noul","noul":0.5}}',
  )
})

const choice: ModelRequest = {
  ...asked,
  request: {
    ...asked.request,
    questions: [['q', { type: 'choice', instructions: 'Q?', criteria: [] }]],
  },
}

test('decisions: many probabilities and labels given twice are one object, its numbers unchanged', () => {
  const list = Array.from(
    { length: 200_000 },
    (_, i) => `{"value":"a${i % 3}","probability":1e400}`,
  )
  const body = `{"answers":[{"type":"choice","choice":"a0","probabilities":[${list.join(',')}]}]}`
  const reply = { body: Buffer.from(body), requestId: '', prepare: (text: string) => text }
  const response = decisionsDialect.decodeResponse(choice, reply)
  const answers = E.isRight(response) ? encodeResponse(response.right).answers : undefined
  assert.is(
    String(encode(answers ?? null)),
    '{"q":{"type":"choice","choice":"a0","probabilities":{"a0":1e400,"a1":1e400,"a2":1e400}}}',
  )
})

test('100,000 answers that nobody asked for are no answers', () => {
  const some = Array.from({ length: 100_000 }, (_, i) => `"q${i}":{"type":"noul","noul":1}`)
  const list = Array.from({ length: 100_000 }, () => '{"type":"refusal"}')
  assert.equal(
    [
      read(geminiDialect, `{"answers":{${some.join(',')}}}`),
      read(decisionsDialect, `{"answers":[${list.join(',')}]}`),
    ].map((response) => E.isLeft(response) && response.left._tag),
    ['InvalidResponse', 'InvalidResponse'],
  )
})

test('of an answer given twice the last counts', () => {
  for (const dialect of [systemoneDialect, geminiDialect])
    assert.is(
      answersIn(
        dialect,
        '{"answers":{"__proto__":{"type":"noul","noul":0.1},"__proto__":{"type":"noul","noul":0.9}}}',
      ),
      '{"__proto__":{"type":"noul","noul":0.9}}',
    )
})

test('decisions: a name of 1 MiB is not repeated', () => {
  const name = 'n'.repeat(1 << 20)
  const body = `{"answers":[{"type":"predicate","name":"${name}","probability":0.5}]}`
  assert.not.ok(JSON.stringify(read(decisionsDialect, body)).includes('nnnn'))
})

test('a delay that is no duration is not obeyed', () => {
  const type = 'type.googleapis.com/google.rpc.RetryInfo'
  const delayOf = (retryDelay: unknown): number | undefined => {
    const error = { message: 'm', details: [{ '@type': type, retryDelay }] }
    const body = Buffer.from(JSON.stringify({ error }))
    return geminiDialect.decodeFailure({ status: 429, header: () => null, body }, createRedact([]))
      .retryAfterMs
  }
  assert.is(delayOf('34.5s'), 34_500)
  for (const text of ['-1s', '1e9s', 's', '1', 5, null, '9'.repeat(400)])
    assert.is(delayOf(text), undefined)
})

test.run()
