import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Draft, encodeText, print, toJson } from '../../../lib/codec/json/draft'
import type { JsonValue } from '../../../lib/codec/json/json'
import { parseText } from '../../../lib/codec/json/parse'

const test = suite('json/draft')

const parse = (text: string): JsonValue => {
  const result = parseText(text)
  if (E.isLeft(result)) throw new Error(result.left.message)
  return result.right
}

const printCompact = (draft: Draft): string => print(draft, false).toString()
const printIndented = (draft: Draft): string => print(draft, true).toString()

test('prints documents nested 1,000 deep', () => {
  const depth = 1000
  const deep = `${'['.repeat(depth)}1${']'.repeat(depth)}`
  assert.is(printCompact(parse(deep)), deep)
  const indent = (level: number, text: string): string => ' '.repeat(2 * level) + text
  const openingLines = Array.from({ length: depth }, (_, level) => indent(level, '['))
  const closingLines = Array.from({ length: depth }, (_, i) => indent(depth - 1 - i, ']'))
  // Not `assert.is`, whose message would compare 2,001 long lines.
  assert.ok(
    printIndented(parse(deep)) ===
      [...openingLines, indent(depth, '1'), ...closingLines].join('\n'),
  )
})

test('prints a document compactly if its indented form would exceed 512 MiB', () => {
  // 512 MiB is close to the longest string of V8. Each zero would get a line, indented by 2 * 1000 spaces: together 600 MB.
  const zeros = Array.from({ length: 300_000 }, () => '0').join(',')
  const deep = `${'['.repeat(1000)}${zeros}${']'.repeat(1000)}`
  assert.ok(printIndented(parse(deep)) === deep)
})

// A draft is a document that svc creates, in JavaScript's objects, arrays and scalars.
test('converts a draft object to a Map, and returns a JSON value unchanged', () => {
  const value = toJson({ a: ['x'] })
  assert.instance(value, Map)
  assert.is(encodeText(value), '{"a":["x"]}')
  const json = parse('[ 1 ]')
  assert.equal(toJson(json), json)
})

test.run()
