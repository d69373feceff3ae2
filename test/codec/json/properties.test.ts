import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeText, print } from '../../../lib/codec/json/draft'
import type { JsonValue } from '../../../lib/codec/json/json'
import { parseJson, parseText } from '../../../lib/codec/json/parse'
import * as fc from '../../support/fast-check'
import { documents } from './documents'

/** Parsing and printing keep every number, key and string. */
const test = suite('json/properties')

const parse = (text: string): JsonValue => {
  const result = parseText(text)
  if (E.isLeft(result)) throw new Error(`${result.left.message} in ${text}`)
  return result.right
}

test('compact printing removes only blanks', () => {
  fc.assert(
    fc.property(documents, ({ text, spaced }) => {
      assert.is(print(parse(spaced), false).toString(), text)
      assert.is(encodeText(parse(text)), text)
    }),
    { numRuns: 1000 },
  )
})

test('indenting and printing compactly again gives the same text', () => {
  fc.assert(
    fc.property(documents, ({ text, spaced }) => {
      const indented = print(parse(spaced), true)
      const again = parseJson(indented)
      assert.ok(E.isRight(again))
      if (E.isRight(again)) assert.is(print(again.right, false).toString(), text)
    }),
    { numRuns: 1000 },
  )
})

test('indents as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const plain = JSON.parse(text)
      const own = print(parse(JSON.stringify(plain)), true).toString()
      assert.is(own, JSON.stringify(plain, null, 2))
    }),
    { numRuns: 500 },
  )
})

/** Converts a JSON value to a plain value of JavaScript. */
const rebuilt = (json: JsonValue): unknown => {
  if (json instanceof Map)
    return Object.fromEntries(Array.from(json, ([name, value]) => [name, rebuilt(value)]))
  if (Array.isArray(json)) return json.map(rebuilt)
  return typeof json === 'string' ? json : JSON.parse(encodeText(json))
}

test('parsed values equal those of the document', () => {
  fc.assert(
    fc.property(documents, ({ spaced, value }) => {
      assert.ok(isDeepStrictEqual(rebuilt(parse(spaced)), value))
    }),
    { numRuns: 1000 },
  )
})

test('accepts and refuses damaged documents as JSON.parse does', () => {
  const spoilt = fc.tuple(documents, fc.nat(), fc.constantFrom('', '"', '\\', ',', '}', '\n', '0'))
  fc.assert(
    fc.property(spoilt, fc.nat(7), ([{ spaced }, at, put], shift) => {
      const text = [...spaced]
      text.splice(at % (text.length + 1), 1, put)
      const bytes = Buffer.from(' '.repeat(shift) + text.join(''))
      const ours = E.isRight(parseJson(bytes.subarray(shift)))
      let theirs = true
      try {
        JSON.parse(bytes.subarray(shift).toString())
      } catch {
        theirs = false
      }
      assert.is(ours, theirs)
    }),
    { numRuns: 2000 },
  )
})

test('accepts or refuses arbitrary bytes without an exception', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200, size: 'max' }), (bytes) => {
      const result = parseJson(bytes)
      if (E.isLeft(result)) assert.match(result.left.message, /^line \d+, column \d+: \S/)
    }),
    { numRuns: 1000 },
  )
})

test.run()
