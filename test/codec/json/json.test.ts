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

const spellings: ReadonlyArray<readonly [spelling: string, name: string]> = [
  ['state', 'state'],
  ['st\\u0061te', 'state'],
  ['\\u0073tate', 'state'],
  ['größe', 'größe'],
  ['gr\\u00f6ße', 'größe'],
  ['', ''],
]
for (const [spelling, name] of spellings)
  test(`finds the member "${name}" if it is written as "${spelling}"`, () => {
    // The decoded name occurs twice, and the last member with it counts. `stat`, `states` and `groß` are only similar names.
    const document = parse(`{"${name}":0,"stat":1,"states":2,"groß":3,"${spelling}":4,"\\n":5}`)
    assert.is(encodeText(memberIn(document, name) as JsonValue), '4')
    const missingName = `${name}?`
    assert.is(memberIn(document, missingName), undefined)
  })

test('a repeated key has its last value, at the position of the first', () => {
  const document = parse('{"10":1,"9":2,"__proto__":3,"10":[4]}')
  assert.is(encodeText(document), '{"10":[4],"9":2,"__proto__":3}')
})

test.run()
