import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { itemsOf, type Json, memberIn, membersOf, textOf } from '../../../lib/codec/json/json'
import { parseText } from '../../../lib/codec/json/parse'

const test = suite('json/json')

const parse = (text: string): Json => {
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
    assert.is(textOf(memberIn(document, key) as Json), '4', written)
    assert.is(memberIn(document, `${key}?`), undefined)
  }
})

test('walks past values nested 100,000 deep', () => {
  const deep = `${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`
  const document = parse(`{"x":${deep},"y":2}`)
  assert.equal(
    membersOf(document).map(({ key, value }) => [key, textOf(value).length]),
    [
      ['x', deep.length],
      ['y', 1],
    ],
  )
  assert.is(itemsOf(parse(`[${deep},1]`)).length, 2)
})

test.run()
