import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../lib/codec/json/draft'
import { checkRequest, decodeRequest, encodeRequest } from '../../lib/codec/request'
import { classify, messageOf } from '../../lib/failure/report'

const test = suite('codec/request')

/** Decodes and checks a request document. Returns the body that `svc` would send, or `exit code: message`. */
const prepareRequest = (text: string): string => {
  const request = decodeRequest(Buffer.from(text))
  if (E.isLeft(request)) return `${classify(request.left).exitCode}: ${messageOf(request.left)}`
  const checked = checkRequest(request.right)
  if (E.isLeft(checked)) return `${classify(checked.left).exitCode}: ${messageOf(checked.left)}`
  return encode(encodeRequest(request.right, [['model', request.right.model || 'm']])).toString()
}

/** Creates a request document with one question. */
const createRequest = (question: string, id = 'q'): string =>
  `{"state":1,"questions":{${JSON.stringify(id)}:${question}}}`

const undecodable = [
  {
    document: '{"state":1,"questions":{},"model":2}',
    message: 'invalid request: model: must be a string',
  },
  {
    document: createRequest('{"type":["noul"]}'),
    message: 'invalid request: questions.q: must be an object with a "type"',
  },
  {
    document: createRequest('{"type":"noul","__proto__":1}'),
    message: 'invalid request: questions.q: json: unknown field "__proto__"',
  },
  {
    document: createRequest('{"type":"","x":1}', '__proto__'),
    message: 'invalid request: questions.__proto__.type: is required',
  },
]

for (const { document, message } of undecodable)
  test(`refuses ${document} with exit code 1`, () =>
    assert.is(prepareRequest(document), `1: ${message}`))

const formatLabels = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`l${i}`, null])))
const formatLevels = (count: number): string => JSON.stringify(Array(count).fill('x'))
const contentMessage = 'must be text, an object or an array'

/** Questions that `svc` decodes but refuses to send, with the path of the fault in the question. */
const invalidQuestions = [
  { question: '{"type":"noul","instructions":5}', path: 'instructions', cause: contentMessage },
  {
    question: '{"type":"choice","instructions":true}',
    path: 'instructions',
    cause: contentMessage,
  },
  {
    question: '{"type":"score","instructions":false}',
    path: 'instructions',
    cause: contentMessage,
  },
  {
    question: '{"type":"noul","criteria":{"true":1}}',
    path: 'criteria.true',
    cause: contentMessage,
  },
  {
    question: '{"type":"noul","criteria":{"false":false}}',
    path: 'criteria.false',
    cause: contentMessage,
  },
  {
    question: '{"type":"choice","criteria":{"a":null,"b":7}}',
    path: 'criteria.b',
    cause: contentMessage,
  },
  { question: '{"type":"score","criteria":["a",null]}', path: 'criteria[1]', cause: 'is required' },
  {
    question: '{"type":"score","criteria":["a",["b"],3]}',
    path: 'criteria[2]',
    cause: contentMessage,
  },
]

for (const { question, path, cause } of invalidQuestions)
  test(`refuses the question ${question} with exit code 2`, () =>
    assert.is(
      prepareRequest(createRequest(question)),
      `2: typesafe: invalid request: questions.q.${path}: ${cause}`,
    ))

/** Questions, and the form in which `svc` sends them. Without a second text it sends them unchanged. */
const validQuestions: ReadonlyArray<readonly [question: string, body?: string]> = [
  // Numbers that JavaScript would change
  ['{"type":"noul","instructions":{"b":1e400,"a":12345678901234567890}}'],
  // The last of two types counts.
  ['{"type":"x","instructions":"a","type":"noul"}', '{"type":"noul","instructions":"a"}'],
  // The members get a fixed order, but labels keep theirs.
  [
    '{"type":"choice","criteria":{"b":null,"10":"ten","__proto__":{"k":1},"a":["x"]},"instructions":"i"}',
    '{"type":"choice","instructions":"i","criteria":{"b":null,"10":"ten","__proto__":{"k":1},"a":["x"]}}',
  ],
  // The invalid value of the first label "a" does not count.
  [
    '{"type":"choice","criteria":{"a":1,"b":null,"a":null}}',
    '{"type":"choice","criteria":{"a":null,"b":null}}',
  ],
  ['{"type":"choice","criteria":{"":null}}'],
  // The maximum of labels, and the minimum and the maximum of levels
  [`{"type":"choice","criteria":${formatLabels(255)}}`],
  [`{"type":"score","criteria":${formatLevels(2)}}`],
  [`{"type":"score","criteria":${formatLevels(10)}}`],
]

for (const [question, body = question] of validQuestions)
  test(`sends the question that begins with ${question.slice(0, 90)}`, () =>
    assert.is(
      prepareRequest(createRequest(question)),
      `{"model":"m","state":1,"questions":{"q":${body}}}`,
    ))

test('sends model, state and questions first, and then unknown members in their order', () => {
  assert.is(
    prepareRequest(
      `{
        "b":[1.0,1.0],
        "questions":{"10":{"type":"x"},"2":{"type":"x"}},
        "10":1e400,
        "state":{},
        "model":"doc"
      }`,
    ),
    '{"model":"doc","state":{},"questions":{"10":{"type":"x"},"2":{"type":"x"}},"b":[1.0,1.0],"10":1e400}',
  )
})

test('decodes escapes in names, and keeps lone surrogates escaped', () => {
  assert.is(
    prepareRequest('{"state":1,"questions":{"q":{"type":"x"}},"\\u0061":"\\ud800"}'),
    '{"model":"m","state":1,"questions":{"q":{"type":"x"}},"a":"\\ud800"}',
  )
})

test('uses the last value of a repeated member', () => {
  assert.is(
    prepareRequest(
      `{
        "state":1, "model":1, "questions":0, "x":1,
        "questions":{"q":{"type":"x"},"q":{"type":"y"}},
        "model":"", "x":2, "state":{"a":1,"a":2}
      }`,
    ),
    '{"model":"m","state":{"a":2},"questions":{"q":{"type":"y"}},"x":2}',
  )
})

test('reports the first invalid question in code point order of the ids', () => {
  const invalid = '{"type":"noul","f":1}'
  assert.is(
    prepareRequest(
      `{"state":1,"questions":{${['b', 'a', 'B', '10', '9'].map((id) => `"${id}":${invalid}`)}}}`,
    ),
    '1: invalid request: questions.10: json: unknown field "f"',
  )
  assert.is(
    prepareRequest('{"state":1,"questions":{"z":{"type":"choice"},"a":{"type":"score"}}}'),
    '2: typesafe: invalid request: questions.a.criteria: score requires between 2 and 10 levels, got 0',
  )
})

test('sorts ids by code point, unlike JavaScript, which compares UTF-16 units', () => {
  // U+FF21 comes before U+1F600, whose first UTF-16 unit is 0xD83D.
  assert.is(
    prepareRequest('{"state":1,"questions":{"\u{1f600}":1,"\uff21":2}}'),
    '1: invalid request: questions.\uff21: must be an object with a "type"',
  )
})

test.run()
