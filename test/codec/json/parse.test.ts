import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeText } from '../../../lib/codec/json/draft'
import { parseJson, parseText } from '../../../lib/codec/json/parse'

const test = suite('json/parse')

/** Parses a document. Returns the message of its fault, or `valid: ` and the document. */
const describeFault = (text: string | Uint8Array): string => {
  const result = typeof text === 'string' ? parseText(text) : parseJson(text)
  return E.isLeft(result) ? result.left.message : `valid: ${encodeText(result.right)}`
}

const validTexts: ReadonlyArray<readonly [text: string, value: string]> = [
  [' \t\r\n true \n', 'true'],
  ['\ufeff{}', '{}'],
  ['\ufeff  [ ]  ', '[]'],
  ['-0.0e-0 ', '-0.0e-0'],
  ['1E+400', '1E+400'],
  ['"\\u00E9\\n\\/"', '"é\\n/"'],
  ['"\\uD800"', '"\\ud800"'],
  ['"\u2028\u007f"', '"\u2028\u007f"'],
]

for (const [text, value] of validTexts)
  test(`accepts ${JSON.stringify(text)}`, () => {
    const result = parseText(text)
    assert.ok(E.isRight(result), describeFault(text))
    if (E.isRight(result)) assert.is(encodeText(result.right), value)
  })

const invalidTexts: ReadonlyArray<readonly [text: string, message: string]> = [
  ['', 'line 1, column 1: expected a value, found the end of the document'],
  ['  \n ', 'line 2, column 2: expected a value, found the end of the document'],
  ['{', 'line 1, column 2: expected a member name in double quotes, found the end of the document'],
  ['{"a":1,}', 'line 1, column 8: expected a member name in double quotes, found "}"'],
  ["{'a':1}", 'line 1, column 2: expected a member name in double quotes, found "\'"'],
  ['{"a" 1}', 'line 1, column 6: expected ":" after a member name, found "1"'],
  ['{"a":1 "b":2}', 'line 1, column 8: expected "," or "}", found \'"\''],
  ['{"a":1]', 'line 1, column 7: expected "," or "}", found "]"'],
  ['[1}', 'line 1, column 3: expected "," or "]", found "}"'],
  ['[1,]', 'line 1, column 4: expected a value, found "]"'],
  ['[1', 'line 1, column 3: expected "," or "]", found the end of the document'],
  ['[] x', 'line 1, column 4: expected the end of the document, found "x"'],
  ['01', 'line 1, column 2: expected the end of the document, found "1"'],
  ['-', 'line 1, column 2: expected a digit, found the end of the document'],
  ['1.', 'line 1, column 3: expected a digit, found the end of the document'],
  ['1.5e+', 'line 1, column 6: expected a digit, found the end of the document'],
  ['.5', 'line 1, column 1: expected a value, found "."'],
  ['NaN', 'line 1, column 1: expected a value, found "N"'],
  ['tru', 'line 1, column 4: expected the word true, found the end of the document'],
  ['nulL', 'line 1, column 4: expected the word null, found "L"'],
  [
    '"abc',
    'line 1, column 5: expected the closing quote of a string, found the end of the document',
  ],
  [
    '"a\tb"',
    'line 1, column 3: expected a control character in a string to be escaped, found U+0009',
  ],
  [
    '"a\nb"',
    'line 1, column 3: expected a control character in a string to be escaped, found U+000A',
  ],
  ['"\\x"', 'line 1, column 3: expected one of " \\ / b f n r t u after a backslash, found "x"'],
  [
    '"\\',
    'line 1, column 3: expected one of " \\ / b f n r t u after a backslash, found the end of the document',
  ],
  ['"\\u12g4"', 'line 1, column 6: expected four hexadecimal digits after \\u, found "g"'],
  ['{\n  "é": é\n}', 'line 2, column 8: expected a value, found U+00E9'],
  ['[\n1,\r\n2,\n\ufeff]', 'line 4, column 1: expected a value, found U+FEFF'],
  ['\ufeff\ufeff1', 'line 1, column 1: expected a value, found U+FEFF'],
  ['😀', 'line 1, column 1: expected a value, found U+1F600'],
  ['\u00a0', 'line 1, column 1: expected a value, found U+00A0'],
]

for (const [text, expected] of invalidTexts)
  test(`refuses ${JSON.stringify(text)}`, () => assert.is(describeFault(text), expected))

const invalidBytes: ReadonlyArray<readonly [hex: string, message: string]> = [
  // 22 is a quote. UTF-8 never has the byte ff.
  ['22ff22', 'line 1, column 2: invalid UTF-8 at byte 0xff'],
  // A character of two bytes without its second byte
  ['225bc322', 'line 1, column 3: invalid UTF-8 at byte 0xc3'],
  // A slash in two bytes instead of one
  ['22c0af22', 'line 1, column 2: invalid UTF-8 at byte 0xc0'],
  // The surrogate U+D800, in the second line
  ['0a22e2808022eda08022', 'line 2, column 4: invalid UTF-8 at byte 0xed'],
  // A code point above U+10FFFF
  ['22e2828022f4908080', 'line 1, column 4: invalid UTF-8 at byte 0xf4'],
  // U+0000 in four bytes, after an emoji
  ['22f09f9880f0808080', 'line 1, column 3: invalid UTF-8 at byte 0xf0'],
  // A character that the end of the document cuts
  ['22e282', 'line 1, column 2: invalid UTF-8 at byte 0xe2'],
  // `{}` in UTF-16
  ['fffe7b007d00', 'line 1, column 1: invalid UTF-8 at byte 0xff'],
  ['00', 'line 1, column 1: expected a value, found U+0000'],
]

for (const [hex, expected] of invalidBytes)
  test(`refuses the bytes ${hex}`, () =>
    assert.is(describeFault(Buffer.from(hex, 'hex')), expected))

test('accepts 1,000 levels, and reports the position of a deeper one', () => {
  assert.ok(E.isRight(parseText('['.repeat(1000) + ']'.repeat(1000))))
  assert.ok(E.isRight(parseText(`${'{"a":'.repeat(1000)}0${'}'.repeat(1000)}`)))
  assert.is(
    describeFault('['.repeat(100_000)),
    'line 1, column 1001: expected at most 1,000 levels, found "["',
  )
})

test('parses a view of a larger buffer', () => {
  const buffer = Buffer.from('xx[1]yy')
  const result = parseJson(new Uint8Array(buffer.buffer, buffer.byteOffset + 2, 3))
  assert.ok(E.isRight(result))
  if (E.isRight(result)) assert.is(encodeText(result.right), '[1]')
})

test.run()
