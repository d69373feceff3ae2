import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  itemsOf,
  type Json,
  type JsonKind,
  kindOf,
  memberIn,
  membersOf,
  numberOf,
  textOf,
} from '../../lib/json/json'
import { parseText } from '../../lib/json/parse'

const test = suite('json/json')

const parse = (text: string): Json => {
  const result = parseText(text)
  if (E.isLeft(result)) throw new Error(result.left.message)
  return result.right
}

const listed = (text: string) =>
  membersOf(parse(text)).map(({ key, name, value }) => [key, textOf(name), textOf(value)])

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

test('tells kinds', () => {
  const kinds: ReadonlyArray<readonly [string, JsonKind]> = [
    [' {}', 'object'],
    ['[]', 'array'],
    ['""', 'string'],
    ['-1', 'number'],
    ['0', 'number'],
    ['true', 'boolean'],
    ['false', 'boolean'],
    ['null', 'null'],
  ]
  for (const [text, kind] of kinds) assert.is(kindOf(parse(text)), kind)
})

test('lists members in document order, whatever their names', () => {
  assert.equal(
    listed(' { "b" : 1.0 ,\n"10":[ 1 , 2 ],"2":{"a":"}"},"__proto__":null , "":"," } '),
    [
      ['b', '"b"', '1.0'],
      ['10', '"10"', '[ 1 , 2 ]'],
      ['2', '"2"', '{"a":"}"}'],
      ['__proto__', '"__proto__"', 'null'],
      ['', '""', '","'],
    ],
  )
  assert.equal(listed('{}'), [])
  assert.equal(listed('{ \n }'), [])
})

test('takes the last of duplicate members, in the place of the first', () => {
  assert.equal(listed('{"a":1,"b":2,"\\u0061":3}'), [
    ['a', '"\\u0061"', '3'],
    ['b', '"b"', '2'],
  ])
})

test('finds one member', () => {
  const document = parse('{"a":1,"constructor":{"a":9},"\\u0061":[2],"toString ":0}')
  const found = (key: string) => {
    const value = memberIn(document, key)
    return value && textOf(value)
  }
  assert.is(found('a'), '[2]')
  assert.is(found('constructor'), '{"a":9}')
  assert.is(found('toString'), undefined)
  assert.is(found(''), undefined)
})

test('decodes numbers', () => {
  assert.is(numberOf(parse('1.50')), 1.5)
  assert.is(numberOf(parse('-1E+2')), -100)
  assert.is(numberOf(parse('1e400')), Number.POSITIVE_INFINITY)
  assert.is(textOf(parse(' 12345678901234567890 ')), '12345678901234567890')
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
