import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { print } from '../../lib/codec/json/draft'
import { decodeResponse, encodeResponse, readRequestId } from '../../lib/codec/response'
import { classify, messageOf } from '../../lib/failure/report'

const test = suite('codec/response')

/** Decodes a response body. Returns the document that `svc ask` would print, or `exit code: message`. */
const decodeAndPrint = (body: string, header = ''): string => {
  const response = decodeResponse(Buffer.from(body), header)
  return E.isLeft(response)
    ? `${classify(response.left).exitCode}: ${messageOf(response.left)}`
    : print(encodeResponse(response.right), false).toString()
}

/** Creates a response body with one answer. */
const createBody = (answer: string): string => `{"model":"m","answers":{"q":${answer}}}`
const unknownUsage = '"usage":{"input_tokens":null,"output_tokens":null}'

/** Invalid answers, with the path of the fault in the answer. */
const invalidAnswers = [
  { answer: '{}', path: '.type', cause: 'is required' },
  { answer: '{"type":""}', path: '.type', cause: 'is required' },
  { answer: '{"type":"choice","confidence":1}', path: '.choice', cause: 'is required' },
  {
    answer: '{"type":"choice","choice":1,"confidence":1}',
    path: '.choice',
    cause: 'must be a string',
  },
  { answer: '{"type":"choice","choice":"a"}', path: '.confidence', cause: 'is required' },
  {
    answer: '{"type":"choice","choice":"a","confidence":"1"}',
    path: '.confidence',
    cause: 'must be a number',
  },
  {
    answer: '{"type":"choice","choice":"a","confidence":1,"probabilities":[]}',
    path: '.probabilities',
    cause: 'must be an object',
  },
  {
    answer: '{"type":"choice","choice":"a","confidence":1,"probabilities":{"a":null}}',
    path: '.probabilities.a',
    cause: 'must be a number',
  },
  { answer: '{"type":"score","confidence":1}', path: '.score', cause: 'is required' },
  { answer: '{"type":"score","score":1}', path: '.confidence', cause: 'is required' },
  {
    answer: '{"type":"score","score":1,"confidence":1,"legend":[]}',
    path: '.legend',
    cause: 'must be an object',
  },
  {
    answer: '{"type":"score","score":1,"confidence":1,"probabilities":{"0":"x"}}',
    path: '.probabilities.0',
    cause: 'must be a number',
  },
]

const invalidBodies = [
  {
    body: '',
    path: '',
    cause: 'line 1, column 1: expected a value, found the end of the document',
  },
  {
    body: '{"model":"m","answers":{},"usage":{"output_tokens":1e400}}',
    path: 'usage.output_tokens',
    cause: 'must be an integer',
  },
  ...invalidAnswers.map(({ answer, path, cause }) => ({
    body: createBody(answer),
    path: `answers.q${path}`,
    cause,
  })),
]

for (const { body, path, cause } of invalidBodies)
  test(`refuses the body ${JSON.stringify(body)}`, () =>
    assert.is(decodeAndPrint(body), `6: typesafe: invalid response field "${path}": ${cause}`))

/** Answers, and the form in which `svc` prints them. */
const validAnswers: ReadonlyArray<readonly [answer: string, shown: string]> = [
  [
    '{"type":"choice","choice":"b","confidence":"x","confidence":1,"probabilities":{"b":"x","b":0.50}}',
    '{"type":"choice","choice":"b","confidence":1,"probabilities":{"b":0.50}}',
  ],
  [
    '{"type":"rank","10":1e400,"9":[1.0,12345678901234567890],"order":null}',
    '{"type":"rank","10":1e400,"9":[1.0,12345678901234567890],"order":null}',
  ],
]
for (const [answer, shown] of validAnswers)
  test(`prints the answer ${answer}`, () =>
    assert.is(
      decodeAndPrint(createBody(answer)),
      `{"model":"m","answers":{"q":${shown}},${unknownUsage}}`,
    ))

test('uses the request id of the header, or else the one of the body if it is a string', () => {
  const createBodyWithId = (id: string): string => `{"model":"m","answers":{},"request_id":${id}}`
  assert.match(decodeAndPrint(createBodyWithId('"b"'), 'h'), /"request_id":"h"}$/)
  assert.match(decodeAndPrint(createBodyWithId('"b"')), /"request_id":"b"}$/)
  assert.not.match(decodeAndPrint(createBodyWithId('""')), /request_id/)
  assert.not.match(decodeAndPrint(createBodyWithId('7')), /request_id/)
  assert.is(readRequestId('h', Buffer.from('{"request_id":"b"}')), 'h')
  assert.is(readRequestId('', Buffer.from('{"request_id":"b"}')), 'b')
  assert.is(readRequestId('', Buffer.from('{"request_id":1}')), '')
  assert.is(readRequestId('', Buffer.from('["b"]')), '')
  assert.is(readRequestId('', Buffer.from('<html>')), '')
})

test('reports the fault of the answer whose id is first in code point order', () => {
  assert.is(
    decodeAndPrint('{"model":"m","answers":{"b":1,"a":{"type":"noul"},"\ud83d\ude00":1}}'),
    '6: typesafe: invalid response field "answers.a.noul": is required',
  )
})

test('uses the last answer to a repeated id, at the position of the first', () => {
  const body = '{"model":"m","answers":{"q":7,"a":{"type":"x"},"q":{"type":"noul","noul":1.0}}}'
  assert.is(
    decodeAndPrint(body),
    `{"model":"m","answers":{"q":{"type":"noul","noul":1.0},"a":{"type":"x"}},${unknownUsage}}`,
  )
})

test.run()
