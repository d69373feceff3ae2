import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cutMessage, decodeErrorMessage } from '../../lib/codec/service-errors'
import { cutBytes } from '../../lib/text/sanitize'
import { createRedact } from '../../lib/text/secret'
import * as fc from '../support/fast-check'

const test = suite('codec/service-errors')

const noSecrets = createRedact([])
const decodeMessage = (body: Uint8Array): string => decodeErrorMessage(body, noSecrets)

/** Error bodies of real services, and bodies that lack some of their members. */
const errorBodies: ReadonlyArray<readonly [body: string, message: string]> = [
  [
    '{"detail":{"error_type":"authentication_error","message":"Cannot authenticate."}}',
    'authentication_error: Cannot authenticate.',
  ],
  ['{"detail":{"error_type":"max_tokens_exceeded"}}', 'max_tokens_exceeded'],
  ['{"detail":{"message":"Invalid request."}}', 'Invalid request.'],
  ['{"detail":{"error_type":"","message":"m"}}', 'm'],
  ['Unknown model: svc-9', 'Unknown model: svc-9'],
  ['{"detail":"Not Found"}', 'Not Found'],
  [
    '{"detail":[{"type":"too_short","loc":["body","questions"],"msg":"Dictionary should have at least 1 item","input":{}}]}',
    'body.questions: Dictionary should have at least 1 item',
  ],
  [
    '{"detail":[{"loc":["body","q",1],"msg":"a"},"b",{"msg":"c"},{"loc":["x"]},{"loc":[],"msg":"d"},5,null,""]}',
    'body.q.1: a; b; c; d',
  ],
  ['{"error":{"code":422,"message":"criteria: Field required"}}', 'criteria: Field required'],
  ['{"error":"model not found","code":"MODEL_NOT_FOUND","detail":[]}', 'model not found'],
  ['{"detail":"","message":"m","error":"e"}', 'm'],
  ['{"detail":{},"message":"","error":"e"}', 'e'],
  ['{"detail":null,"message":{"a":1},"error":{"message":"e"}}', 'e'],
  // Without a text in a known member, the whole body is the message.
  ['{"detail":7,"message":8,"error":9}', '{"detail":7,"message":8,"error":9}'],
  [' {"foo":1}\n', '{"foo":1}'],
  ['["a"]', '["a"]'],
  ['\n overloaded \t\n', 'overloaded'],
  ['', ''],
  [' \n ', ''],
  ['<html>\n<body>502</body>\n</html>\n', '<html>\n<body>502</body>\n</html>'],
  ['{"detail":"a\\nb\\u0000"}', 'a\nb\u0000'],
  // A lone surrogate
  ['{"detail":"\\ud800x"}', '\ufffdx'],
  ['{"detail":"a","detail":"b"}', 'b'],
]

for (const [body, message] of errorBodies)
  test(`finds the message in ${JSON.stringify(body)}`, () =>
    assert.is(decodeMessage(Buffer.from(body)), message))

test('names the path of a fault in the request', () => {
  const faults =
    '{"detail":[{"loc":["body","questions","__proto__","criteria",1],"msg":"is required","type":"missing"}]}'
  assert.is(decodeMessage(Buffer.from(faults)), 'body.questions.__proto__.criteria.1: is required')
})

test('replaces invalid UTF-8, in plain text and in JSON', () => {
  assert.is(decodeMessage(Buffer.from('a\xffb', 'latin1')), 'a\ufffdb')
  assert.is(decodeMessage(Buffer.from('{"detail":"a\xffb"}', 'latin1')), 'a\ufffdb')
  assert.is(decodeMessage(Buffer.from('a\xe2\x82', 'latin1')), 'a\ufffd')
})

test('cuts a message to 200 bytes at a character boundary', () => {
  const cuts: ReadonlyArray<readonly [message: string, cut: string]> = [
    ['x'.repeat(200), 'x'.repeat(200)],
    ['x'.repeat(201), `${'x'.repeat(200)}...`],
    ['é'.repeat(100), 'é'.repeat(100)],
    [`x${'é'.repeat(100)}`, `x${'é'.repeat(99)}...`],
    ['😀'.repeat(50), '😀'.repeat(50)],
    [`xx${'😀'.repeat(50)}`, `xx${'😀'.repeat(49)}...`],
    [`${'x'.repeat(199)}€`, `${'x'.repeat(199)}...`],
    [`${'x'.repeat(200)}😀`, `${'x'.repeat(200)}...`],
  ]
  for (const [message, cut] of cuts) {
    assert.is(cutMessage(message), cut)
    assert.is(decodeMessage(Buffer.from(JSON.stringify({ detail: message }))), cut)
  }
})

test('redacts a secret that the cut at 200 bytes would divide', () => {
  const secret = 's'.repeat(40)
  const body = Buffer.from(`${'x'.repeat(180)}${secret}`)
  assert.is(decodeErrorMessage(body, createRedact([secret])), `${'x'.repeat(180)}[redacted]`)
})

/** Texts of characters of one to four UTF-8 bytes, and lone surrogates. */
const anyText = fc.string({
  unit: fc.nat(0x10ffff).map((n) => String.fromCodePoint(n)),
  maxLength: 300,
  size: 'max',
})

test('a cut text is the longest valid prefix within the limit', () => {
  fc.assert(
    fc.property(anyText, fc.nat(260), (raw, limit) => {
      // Replaces lone surrogates, which have no bytes in UTF-8.
      const text = Buffer.from(raw).toString('utf8')
      const prefix = cutBytes(text, limit)
      assert.ok(text.startsWith(prefix))
      assert.ok(Buffer.byteLength(prefix) <= limit)
      assert.is(Buffer.from(prefix).toString('utf8'), prefix)
      // At the end of the text this is NUL, which the next line does not use.
      const next = String.fromCodePoint(text.codePointAt(prefix.length) ?? 0)
      if (prefix !== text) assert.ok(Buffer.byteLength(prefix + next) > limit)
    }),
  )
})

test('the message of a body of arbitrary bytes is valid UTF-8 within 200 bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600, size: 'max' }), (body) => {
      const message = decodeMessage(body)
      const isCut = message.endsWith('...') && Buffer.byteLength(message) > 200
      const text = isCut ? message.slice(0, -3) : message
      assert.ok(Buffer.byteLength(text) <= 200)
      assert.is(Buffer.from(message).toString('utf8'), message)
      assert.ok(Buffer.from(body).toString('utf8').includes(text))
    }),
  )
})

test('the message of an arbitrary detail is valid UTF-8 within 200 bytes', () => {
  fc.assert(
    fc.property(anyText, (detail) => {
      const message = decodeMessage(Buffer.from(JSON.stringify({ detail, message: 'm' })))
      assert.is(Buffer.from(message).toString('utf8'), message)
      assert.ok(Buffer.byteLength(message) <= 200 + '...'.length)
      if (detail === '') assert.is(message, 'm')
    }),
  )
})

test.run()
