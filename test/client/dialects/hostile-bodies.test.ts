/** Checks that a hostile service cannot harm svc by the body of a response, in any dialect. */
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decisionsDialect } from '../../../lib/client/dialects/decisions'
import type { Dialect, ModelRequest } from '../../../lib/client/dialects/dialect'
import { geminiDialect } from '../../../lib/client/dialects/gemini'
import { dialectForm } from '../../../lib/client/dialects/service-form'
import { systemoneDialect } from '../../../lib/client/dialects/systemone'
import { encode } from '../../../lib/codec/json/draft'
import type { RequestQuestion } from '../../../lib/codec/question'
import { encodeResponse } from '../../../lib/codec/response'
import { createRedact } from '../../../lib/text/secret'

const test = suite('dialects: hostile bodies')

const createRequest = (id: string, question: RequestQuestion): ModelRequest => ({
  model: 'm',
  service: 's',
  form: dialectForm,
  request: { state: 's', questions: [[id, question]], extra: new Map() },
})

/** A request with a yes/no question, for which svc's word is `noul`. Its id is a member of every JavaScript object. */
const protoRequest = createRequest('__proto__', { type: 'noul', instructions: 'Q?' })
const choiceRequest = createRequest('q', { type: 'choice', instructions: 'Q?', criteria: [] })

const decode = (dialect: Dialect, body: string, request = protoRequest) =>
  dialect.decodeResponse(request, {
    body: Buffer.from(body),
    requestId: '',
    redactText: (text) => text,
  })

/** Decodes a body, and returns its answers as svc prints them. Throws if the body is invalid. */
const decodeAnswers = (dialect: Dialect, body: string, request = protoRequest): string => {
  const response = decode(dialect, body, request)
  if (E.isLeft(response)) throw new Error(JSON.stringify(response.left))
  return String(encode(encodeResponse(response.right).answers ?? null))
}

/** Formats a body with an answer to `protoRequest`. `members` is JSON text that is appended to the answer, such as `,"x":1`. */
type FormatBody = (members: string) => string

const formatDecisionsBody: FormatBody = (members) =>
  `{"answers":[{"type":"predicate","name":"__proto__","probability":0.5${members}}]}`
const formatBodyById: FormatBody = (members) =>
  `{"answers":{"__proto__":{"type":"noul","noul":0.5${members}}}}`

const dialects: ReadonlyArray<{ readonly dialect: Dialect; readonly formatBody: FormatBody }> = [
  { dialect: systemoneDialect, formatBody: formatBodyById },
  { dialect: geminiDialect, formatBody: formatBodyById },
  { dialect: decisionsDialect, formatBody: formatDecisionsBody },
]

for (const { dialect, formatBody } of dialects) {
  test(`${dialect.name}: decodes members named __proto__ like any other`, () => {
    assert.is(
      decodeAnswers(dialect, formatBody(',"__proto__":{"noul":1}')),
      '{"__proto__":{"type":"noul","noul":0.5,"__proto__":{"noul":1}}}',
    )
  })

  test(`${dialect.name}: decodes an array that is nested 900 times`, () => {
    // svc refuses JSON with more than 1,000 levels. The body has a few levels of its own.
    const nestedArray = `${'['.repeat(900)}${']'.repeat(900)}`
    assert.ok(decodeAnswers(dialect, formatBody(`,"x":${nestedArray}`)).includes(nestedArray))
  })

  // With decoding in quadratic time, the test would take minutes.
  test(`${dialect.name}: decodes 50,000 members of an answer`, () => {
    const members = Array.from({ length: 50_000 }, (_, index) => `,"k${index}":1`).join('')
    assert.ok(decodeAnswers(dialect, formatBody(members)).includes('"k49999":1'))
  })

  test(`${dialect.name}: never throws on a malformed body`, () => {
    const bodies = [
      '',
      '\0',
      'null',
      '[]',
      '{}',
      '{"error":1}',
      '{"answers":null}',
      '{"answers":{}}',
      '{"answers":[1]}',
      '{"answers":[{}]}',
      '{"answers":[[]]}',
    ]
    for (const body of bodies) decode(dialect, body)
  })
}

test('decisions: ignores a member `noul`, which is the name that svc gives to the probability', () => {
  assert.is(
    decodeAnswers(decisionsDialect, formatDecisionsBody(',"noul":0.9')),
    '{"__proto__":{"type":"noul","noul":0.5}}',
  )
})

test('decisions: converts 200,000 probabilities with repeated labels, and keeps their digits', () => {
  // No JavaScript number can hold 1e400, so svc must keep its text.
  const entries = Array.from(
    { length: 200_000 },
    (_, index) => `{"value":"a${index % 3}","probability":1e400}`,
  )
  const body = `{"answers":[{"type":"choice","choice":"a0","probabilities":[${entries.join(',')}]}]}`
  assert.is(
    decodeAnswers(decisionsDialect, body, choiceRequest),
    '{"q":{"type":"choice","choice":"a0","probabilities":{"a0":1e400,"a1":1e400,"a2":1e400}}}',
  )
})

test('gemini and decisions: refuse 100,000 answers to questions that were not asked', () => {
  const geminiAnswers = Array.from(
    { length: 100_000 },
    (_, index) => `"q${index}":{"type":"noul","noul":1}`,
  )
  const decisionsAnswers = Array.from({ length: 100_000 }, () => '{"type":"refusal"}')
  for (const response of [
    decode(geminiDialect, `{"answers":{${geminiAnswers.join(',')}}}`),
    decode(decisionsDialect, `{"answers":[${decisionsAnswers.join(',')}]}`),
  ])
    assert.is(E.isLeft(response) && response.left._tag, 'InvalidResponse')
})

test('systemone and gemini: the last of two answers with the same id counts', () => {
  const body =
    '{"answers":{"__proto__":{"type":"noul","noul":0.1},"__proto__":{"type":"noul","noul":0.9}}}'
  for (const dialect of [systemoneDialect, geminiDialect])
    assert.is(decodeAnswers(dialect, body), '{"__proto__":{"type":"noul","noul":0.9}}')
})

test('decisions: does not repeat a name of 1 MiB in the failure', () => {
  const name = 'n'.repeat(1 << 20)
  const body = `{"answers":[{"type":"predicate","name":"${name}","probability":0.5}]}`
  assert.not.match(JSON.stringify(decode(decisionsDialect, body)), 'nnnn')
})

test('gemini: ignores a retry delay that is not a duration', () => {
  const readDelay = (retryDelay: unknown): number | undefined => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }]
    const body = Buffer.from(JSON.stringify({ error: { message: 'm', details } }))
    const response = { status: 429, header: () => null, body }
    return geminiDialect.decodeFailure(response, createRedact([])).retryAfterMs
  }
  assert.is(readDelay('34.5s'), 34_500)
  for (const invalid of ['-1s', '1e9s', 's', '1', 5, null, '9'.repeat(400)])
    assert.is(readDelay(invalid), undefined)
})

test.run()
