import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Draft, Entries, encode, print, toJson } from '../../lib/json/draft'
import { type Json, kindOf, textOf } from '../../lib/json/json'
import { parseText } from '../../lib/json/parse'

const test = suite('json/draft')

const parse = (text: string): Json => {
  const result = parseText(text)
  if (E.isLeft(result)) throw new Error(result.left.message)
  return result.right
}

const compact = (draft: Draft): string => print(draft, false).toString()
const pretty = (draft: Draft): string => print(draft, true).toString()

test('encodes values made in the program', () => {
  assert.is(
    encode({ a: 1, b: undefined, c: [true, null, 'é"\n\ud800'], d: {}, e: [] }).toString(),
    '{"a":1,"c":[true,null,"é\\"\\n\\ud800"],"d":{},"e":[]}',
  )
  assert.is(encode('').toString(), '""')
  assert.is(encode({ a: undefined }).toString(), '{}')
})

test('keeps the order and the names of entries', () => {
  const entries = new Entries([
    ['b', 1],
    ['10', 2],
    ['__proto__', new Entries([['constructor', 3]])],
    [parse('"\\u0061"'), 4],
    ['b', 5],
  ])
  assert.is(
    encode(entries).toString(),
    '{"b":1,"10":2,"__proto__":{"constructor":3},"\\u0061":4,"b":5}',
  )
})

test('copies parts of documents as they are', () => {
  const part = parse(' {"a" : [1.0,\n 1e400], "a":2} ')
  assert.is(encode(part).toString(), '{"a" : [1.0,\n 1e400], "a":2}')
  assert.is(encode([part, 1, part]).toString(), `[${textOf(part)},1,${textOf(part)}]`)
})

test('prints documents nested 5,000 deep', () => {
  const depth = 5000
  const deep = `${'['.repeat(depth)}1${']'.repeat(depth)}`
  assert.is(compact(parse(deep)), deep)
  const line = (level: number, text: string): string => ' '.repeat(2 * level) + text
  const opened = Array.from({ length: depth }, (_, level) => line(level, '['))
  const closed = Array.from({ length: depth }, (_, i) => line(depth - 1 - i, ']'))
  assert.ok(pretty(parse(deep)) === [...opened, line(depth, '1'), ...closed].join('\n'))
})

test('prints compactly what would fill memory if it were indented', () => {
  const depth = 100_000
  const deep = '['.repeat(depth) + ']'.repeat(depth)
  assert.ok(pretty(parse(deep)) === deep)
})

test('makes values of the program into values of a document', () => {
  const value = toJson({ a: ['x'] })
  assert.is(kindOf(value), 'object')
  assert.is(textOf(value), '{"a":["x"]}')
  const part = parse('[ 1 ]')
  assert.is(toJson(part), part)
})

test.run()
