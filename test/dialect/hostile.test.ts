/** D49-D60: a hostile service gains nothing by another form of answer. */
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeResponse } from '../../lib/codec/response'
import { decisions } from '../../lib/dialect/decisions'
import type { Asked, Dialect } from '../../lib/dialect/dialect'
import { gemini } from '../../lib/dialect/gemini'
import { systemone } from '../../lib/dialect/systemone'
import { encode, toJson } from '../../lib/json/draft'
import { createRedact } from '../../lib/text/redact'

const test = suite('dialect: hostile services')

const asked: Asked = {
  model: 'm',
  service: 's',
  request: {
    state: toJson('s'),
    questions: [['__proto__', { type: 'noul', instructions: toJson('Q?') }]],
    extra: [],
  },
}

const forms: ReadonlyArray<readonly [Dialect, (members: string) => string]> = [
  [systemone, (members) => `{"answers":{"__proto__":{"type":"noul","noul":0.5${members}}}}`],
  [gemini, (members) => `{"answers":{"__proto__":{"type":"noul","noul":0.5${members}}}}`],
  [
    decisions,
    (members) =>
      `{"answers":[{"type":"predicate","name":"__proto__","probability":0.5${members}}]}`,
  ],
]

const read = (dialect: Dialect, body: string) =>
  dialect.readResponse(asked, { body: Buffer.from(body), requestId: '', prepare: (text) => text })

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
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    assert.ok(answersIn(dialect, form(`,"x":${deep}`)).includes(deep))
    const many = Array.from({ length: 50_000 }, (_, index) => `,"k${index}":1`).join('')
    assert.ok(answersIn(dialect, form(many)).includes('"k49999":1'))
  })

  test(`${dialect.name}: any body is either read or refused`, () => {
    const bodies = ['', 'null', '[]', '{}', '{"answers":null}', '{"answers":[1]}', '{"answers":{}}']
    for (const body of [...bodies, '{"answers":[{}]}', '{"error":1}', '{"answers":[[]]}', '\0'])
      read(dialect, body)
  })

  test(`${dialect.name}: a failure is redacted and cut to 200 bytes`, () => {
    const redact = createRedact(['sk-secret'])
    const readMessage = (body: string): string =>
      dialect.readFailure({ status: 400, header: () => null, body: Buffer.from(body) }, redact)
        .message
    const long = 'x'.repeat(1 << 20)
    for (const name of ['message', 'type', 'code', 'param', 'status']) {
      const error = { message: 'm', [name]: `sk-secret ${long}` }
      const message = readMessage(JSON.stringify({ error }))
      assert.not.ok(message.includes('sk-secret'), name)
      assert.ok(message.includes('[redacted]'), name)
      assert.ok(Buffer.byteLength(message) <= 203, name)
    }
    for (const details of ['1', '[1,null,{"@type":1}]', '{"@type":"x"}'])
      assert.is(readMessage(`{"error":{"message":"m","details":${details}}}`), 'm')
  })
}

test("decisions: a further field cannot stand in for the value of svc's own form", () => {
  const [, form] = forms[2] ?? []
  assert.is(
    answersIn(decisions, form?.(',"noul":0.9') ?? ''),
    '{"__proto__":{"type":"noul","noul":0.5}}',
  )
})

const choice: Asked = {
  ...asked,
  request: {
    ...asked.request,
    questions: [['q', { type: 'choice', instructions: toJson('Q?'), criteria: [] }]],
  },
}

test('decisions: many probabilities and labels given twice are one object, its numbers unchanged', () => {
  const list = Array.from(
    { length: 200_000 },
    (_, i) => `{"value":"a${i % 3}","probability":1e400}`,
  )
  const body = `{"answers":[{"type":"choice","choice":"a0","probabilities":[${list.join(',')}]}]}`
  const reply = { body: Buffer.from(body), requestId: '', prepare: (text: string) => text }
  const response = decisions.readResponse(choice, reply)
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
      read(gemini, `{"answers":{${some.join(',')}}}`),
      read(decisions, `{"answers":[${list.join(',')}]}`),
    ].map((response) => E.isLeft(response) && response.left._tag),
    ['InvalidResponse', 'InvalidResponse'],
  )
})

test('of an answer given twice the last counts', () => {
  for (const dialect of [systemone, gemini])
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
  assert.not.ok(JSON.stringify(read(decisions, body)).includes('nnnn'))
})

test('a delay that is no duration is not obeyed', () => {
  const type = 'type.googleapis.com/google.rpc.RetryInfo'
  const delayOf = (retryDelay: unknown): number | undefined => {
    const error = { message: 'm', details: [{ '@type': type, retryDelay }] }
    const body = Buffer.from(JSON.stringify({ error }))
    return gemini.readFailure({ status: 429, header: () => null, body }, createRedact([]))
      .retryAfterMs
  }
  assert.is(delayOf('34.5s'), 34_500)
  for (const text of ['-1s', '1e9s', 's', '1', 5, null, '9'.repeat(400)])
    assert.is(delayOf(text), undefined)
})

test.run()
