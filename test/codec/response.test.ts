import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeModels, encodeModels } from '../../lib/codec/models'
import {
  answersOf,
  decodeResponse,
  encodeResponse,
  requestIdOfBody,
} from '../../lib/codec/response'
import { classify } from '../../lib/failure/classify'
import { messageOf } from '../../lib/failure/message'
import { print } from '../../lib/json/draft'

const test = suite('codec/response')

/** What `svc ask` would print, or `exit: message`. */
const outcome = (body: string, header = ''): string => {
  const response = decodeResponse(Buffer.from(body), header)
  return E.isLeft(response)
    ? `${classify(response.left).exit}: ${messageOf(response.left)}`
    : print(encodeResponse(response.right), false).toString()
}

const answering = (answer: string): string => `{"model":"m","answers":{"q":${answer}}}`
const nulls = '"usage":{"input_tokens":null,"output_tokens":null}'

/** Answers that do not decode, with the place inside of them. */
const faultyAnswers: ReadonlyArray<readonly [answer: string, path: string, cause: string]> = [
  ['1', '', 'must be an object'],
  ['null', '', 'must be an object'],
  ['{}', '.type', 'is required'],
  ['{"type":null}', '.type', 'is required'],
  ['{"type":""}', '.type', 'is required'],
  ['{"type":1}', '.type', 'must be a string'],
  ['{"type":"noul"}', '.noul', 'is required'],
  ['{"type":"noul","noul":null}', '.noul', 'is required'],
  ['{"type":"noul","noul":"0.5"}', '.noul', 'must be a number'],
  ['{"type":"choice","confidence":1}', '.choice', 'is required'],
  ['{"type":"choice","choice":1,"confidence":1}', '.choice', 'must be a string'],
  ['{"type":"choice","choice":"a"}', '.confidence', 'is required'],
  ['{"type":"choice","choice":"a","confidence":"1"}', '.confidence', 'must be a number'],
  [
    '{"type":"choice","choice":"a","confidence":1,"probabilities":[]}',
    '.probabilities',
    'must be an object',
  ],
  [
    '{"type":"choice","choice":"a","confidence":1,"probabilities":{"a":null}}',
    '.probabilities.a',
    'must be a number',
  ],
  ['{"type":"score","confidence":1}', '.score', 'is required'],
  ['{"type":"score","score":1}', '.confidence', 'is required'],
  ['{"type":"score","score":1,"confidence":1,"legend":[]}', '.legend', 'must be an object'],
  [
    '{"type":"score","score":1,"confidence":1,"probabilities":{"0":"x"}}',
    '.probabilities.0',
    'must be a number',
  ],
]

const invalid: ReadonlyArray<readonly [body: string, path: string, cause: string]> = [
  ['', '', 'line 1, column 1: expected a value, found the end of the document'],
  ['<html>', '', 'line 1, column 1: expected a value, found "<"'],
  ['{"model":"m"', '', 'line 1, column 13: expected "," or "}", found the end of the document'],
  ['[]', '', 'must be an object'],
  ['null', '', 'must be an object'],
  ['{}', 'model', 'is required'],
  ['{"model":null,"answers":{}}', 'model', 'is required'],
  ['{"model":1,"answers":{}}', 'model', 'must be a string'],
  ['{"model":"m"}', 'answers', 'is required'],
  ['{"model":"m","answers":[]}', 'answers', 'must be an object'],
  ['{"model":"m","answers":{},"usage":3}', 'usage', 'must be an object'],
  [
    '{"model":"m","answers":{},"usage":{"input_tokens":1.5}}',
    'usage.input_tokens',
    'must be an integer',
  ],
  [
    '{"model":"m","answers":{},"usage":{"output_tokens":"1"}}',
    'usage.output_tokens',
    'must be an integer',
  ],
  [
    '{"model":"m","answers":{},"usage":{"output_tokens":1e400}}',
    'usage.output_tokens',
    'must be an integer',
  ],
  ...faultyAnswers.map(
    ([answer, path, cause]) => [answering(answer), `answers.q${path}`, cause] as const,
  ),
]

for (const [body, path, cause] of invalid)
  test(`invalid: ${body}`, () =>
    assert.is(outcome(body), `6: typesafe: invalid response field "${path}": ${cause}`))

/** Answers as they are printed: like this, where nothing else is said. spec: Response document, D7 */
const printed: ReadonlyArray<readonly [answer: string, printed?: string]> = [
  ['{"type":"noul","noul":0.990}'],
  [
    '{ "noul" : 1e400, "confidence":1.0 , "latency_ms":12, "type":"noul"}',
    '{"noul":1e400,"confidence":1.0,"latency_ms":12,"type":"noul"}',
  ],
  [
    '{"type":"choice","choice":"b","confidence":1.0}',
    '{"type":"choice","choice":"b","confidence":1.0,"probabilities":{}}',
  ],
  [
    '{"type":"choice","probabilities":null,"choice":"b","confidence":1}',
    '{"type":"choice","probabilities":{},"choice":"b","confidence":1}',
  ],
  [
    '{"type":"score","score":1.90,"confidence":0.85}',
    '{"type":"score","score":1.90,"confidence":0.85,"legend":{},"probabilities":{}}',
  ],
  [
    '{"type":"score","score":1,"confidence":1,"legend":{"1":{"b":1.0,"a":2},"0":"x"},"probabilities":null}',
    '{"type":"score","score":1,"confidence":1,"legend":{"1":{"b":1.0,"a":2},"0":"x"},"probabilities":{}}',
  ],
  [
    '{"type":"choice","choice":"b","confidence":"x","confidence":1,"probabilities":{"b":"x","b":0.50}}',
  ],
  ['{"noul":1,"noul":0.50,"type":"noul"}'],
  [
    '{"type":"rank","order":[1.0, 12345678901234567890],"order":null}',
    '{"type":"rank","order":[1.0,12345678901234567890],"order":null}',
  ],
  [
    '{"reason":"##[error]\\u001b","type":"refusal", "score":1.0}',
    '{"reason":"##[error]\\u001b","type":"refusal","score":1.0}',
  ],
  ['{"type":"refusal","reason":7}'],
]

for (const [answer, text = answer] of printed)
  test(`printed: ${answer}`, () =>
    assert.is(outcome(answering(answer)), `{"model":"m","answers":{"q":${text}},${nulls}}`))

test('prints model, answers, usage and request id, and no other field of the body', () => {
  assert.is(
    outcome(
      '{"x":1,"usage":{"output_tokens":72,"cached":1,"input_tokens":4.07e2},"request_id":"req_1","answers":{"b":{"type":"noul","noul":0},"10":{"type":"noul","noul":1}},"model":"svc-1.13.0"}',
    ),
    '{"model":"svc-1.13.0","answers":{"b":{"type":"noul","noul":0},"10":{"type":"noul","noul":1}},"usage":{"input_tokens":4.07e2,"output_tokens":72},"request_id":"req_1"}',
  )
})

test('takes the request id of the header, then a text of the body, then none', () => {
  const body = (id: string): string => `{"model":"m","answers":{},"request_id":${id}}`
  assert.match(outcome(body('"b"'), 'h'), /"request_id":"h"}$/)
  assert.match(outcome(body('"b"')), /"request_id":"b"}$/)
  assert.not.match(outcome(body('""')), /request_id/)
  assert.not.match(outcome(body('7')), /request_id/)
  assert.is(requestIdOfBody('h', Buffer.from('{"request_id":"b"}')), 'h')
  assert.is(requestIdOfBody('', Buffer.from('{"request_id":"b"}')), 'b')
  assert.is(requestIdOfBody('', Buffer.from('{"request_id":1}')), '')
  assert.is(requestIdOfBody('', Buffer.from('["b"]')), '')
  assert.is(requestIdOfBody('', Buffer.from('<html>')), '')
})

test('usage may be null as a whole or in part', () => {
  assert.ok(outcome('{"model":"m","answers":{},"usage":null}').endsWith(`${nulls}}`))
  assert.match(
    outcome('{"model":"m","answers":{},"usage":{"input_tokens":3,"output_tokens":null}}'),
    /"usage":{"input_tokens":3,"output_tokens":null}/,
  )
})

test('reports the first answer in code point order', () => {
  assert.is(
    outcome('{"model":"m","answers":{"b":1,"a":{"type":"noul"},"\ud83d\ude00":1}}'),
    '6: typesafe: invalid response field "answers.a.noul": is required',
  )
})

test('of answers to one id the last counts, at the place of the first (D13)', () => {
  const body = '{"model":"m","answers":{"q":7,"a":{"type":"x"},"q":{"type":"noul","noul":1.0}}}'
  assert.is(
    outcome(body),
    `{"model":"m","answers":{"q":{"type":"noul","noul":1.0},"a":{"type":"x"}},${nulls}}`,
  )
})

test('gives the values of known answers', () => {
  const response = decodeResponse(
    Buffer.from(
      answering(
        '{"type":"score","score":1.9,"confidence":0.85,"legend":{"0":"x"},"probabilities":{"1":0.1,"0":0.9}}',
      ),
    ),
    '',
  )
  assert.ok(E.isRight(response))
  if (E.isLeft(response)) return
  const answer = answersOf(response.right).get('q')
  assert.is(answer?.type, 'score')
  if (answer?.type !== 'score') return
  assert.is(answer.score, 1.9)
  assert.is(answer.confidence, 0.85)
  assert.equal(answer.probabilities, [
    ['1', 0.1],
    ['0', 0.9],
  ])
})

test('a refusal is an answer of its own, with its reason where that is a text (P9)', () => {
  for (const [reason, expected] of [
    ['"blocked"', { type: 'refusal', reason: 'blocked' }],
    ['7', { type: 'refusal' }],
    ['null', { type: 'refusal' }],
  ] as const) {
    const body = answering(`{"type":"refusal","reason":${reason}}`)
    const response = decodeResponse(Buffer.from(body), '')
    assert.equal(E.isRight(response) && answersOf(response.right).get('q'), expected)
  }
})

const models = (body: string, header = ''): string => {
  const list = decodeModels(Buffer.from(body), header)
  return E.isLeft(list)
    ? `${classify(list.left).exit}: ${messageOf(list.left)}`
    : print(encodeModels(list.right), false).toString()
}

test('model lists keep their entries', () => {
  assert.is(
    models('{"models":[{"name":"a","size":1.0,"__proto__":1e400,"name":"b"},7], "x":1}', 'r1'),
    '{"models":[{"name":"a","size":1.0,"__proto__":1e400,"name":"b"},7],"request_id":"r1"}',
  )
  assert.is(models('{"models":[],"request_id":"r2"}'), '{"models":[],"request_id":"r2"}')
  assert.is(models('{"models":[]}'), '{"models":[]}')
  assert.is(models('{}'), '6: typesafe: invalid response field "models": is required')
  assert.is(
    models('{"models":{}}'),
    '6: typesafe: invalid response field "models": must be an array',
  )
  assert.is(models('[]'), '6: typesafe: invalid response field "": must be an object')
})

test.run()
