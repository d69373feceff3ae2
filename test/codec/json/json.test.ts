import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeText } from '../../../lib/codec/json/draft'
import { type JsonValue, memberIn } from '../../../lib/codec/json/json'
import { parseText } from '../../../lib/codec/json/parse'

const test = suite('json/json')

const parse = (text: string): JsonValue => {
  const result = parseText(text)
  if (E.isLeft(result)) throw new Error(result.left.message)
  return result.right
}

test('finds a member however its name is written', () => {
  for (const [written, key] of [
    ['state', 'state'],
    ['st\\u0061te', 'state'],
    ['\\u0073tate', 'state'],
    ['größe', 'größe'],
    ['gr\\u00f6ße', 'größe'],
    ['', ''],
  ] as const) {
    const document = parse(`{"${key}":0,"stat":1,"states":2,"groß":3,"${written}":4,"\\n":5}`)
    assert.is(encodeText(memberIn(document, key) as JsonValue), '4', written)
    assert.is(memberIn(document, `${key}?`), undefined)
  }
})

test('keeps the order of keys, and the last value of a repeated one at the place of the first', () => {
  const document = parse('{"10":1,"9":2,"__proto__":3,"10":[4]}')
  assert.is(encodeText(document), '{"10":[4],"9":2,"__proto__":3}')
})

test.run()
