import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Draft, print, toJson } from '../../../lib/codec/json/draft'
import { type Json, kindOf, textOf } from '../../../lib/codec/json/json'
import { parseText } from '../../../lib/codec/json/parse'

const test = suite('json/draft')

const parse = (text: string): Json => {
  const result = parseText(text)
  if (E.isLeft(result)) throw new Error(result.left.message)
  return result.right
}

const compact = (draft: Draft): string => print(draft, false).toString()
const pretty = (draft: Draft): string => print(draft, true).toString()

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
