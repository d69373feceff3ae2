import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeText, print } from '../../../lib/codec/json/draft'
import type { JsonValue } from '../../../lib/codec/json/json'
import { parseJson, parseText } from '../../../lib/codec/json/parse'
import * as fc from '../../support/fast-check'
import { jsonDocument } from './json-documents'

const test = suite('json/properties')

/** Parses a document that must be valid. */
const parse = (text: string): JsonValue => {
  const result = parseText(text)
  if (E.isLeft(result)) throw new Error(`${result.left.message} in ${text}`)
  return result.right
}

const printCompact = (value: JsonValue): string => print(value, false).toString()
const printIndented = (value: JsonValue): string => print(value, true).toString()

test('compact printing removes only whitespace', () => {
  fc.assert(
    fc.property(jsonDocument, ({ printed, spaced }) => {
      assert.is(printCompact(parse(spaced)), printed)
      assert.is(encodeText(parse(printed)), printed)
    }),
    { numRuns: 1000 },
  )
})

test('an indented document, parsed and printed again, is the compact document', () => {
  fc.assert(
    fc.property(jsonDocument, ({ printed, spaced }) => {
      const reparsed = parse(printIndented(parse(spaced)))
      assert.is(printCompact(reparsed), printed)
    }),
    { numRuns: 1000 },
  )
})

test('indents as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value = JSON.parse(text)
      const indented = printIndented(parse(JSON.stringify(value)))
      assert.is(indented, JSON.stringify(value, null, 2))
    }),
    { numRuns: 500 },
  )
})

/** Converts a parsed value to the objects, arrays and scalars that `JSON.parse` returns. */
const toPlainValue = (json: JsonValue): unknown => {
  if (json instanceof Map)
    return Object.fromEntries(Array.from(json, ([name, value]) => [name, toPlainValue(value)]))
  if (Array.isArray(json)) return json.map(toPlainValue)
  return typeof json === 'string' ? json : JSON.parse(encodeText(json))
}

test('parses a document to its value', () => {
  fc.assert(
    fc.property(jsonDocument, ({ spaced, value }) => {
      assert.ok(isDeepStrictEqual(toPlainValue(parse(spaced)), value))
    }),
    { numRuns: 1000 },
  )
})

/** Replaces the character at `index`, modulo the length of the text plus 1. At the end of the text it adds `replacement`. */
const replaceCharacter = (text: string, index: number, replacement: string): string => {
  const characters = [...text]
  characters.splice(index % (characters.length + 1), 1, replacement)
  return characters.join('')
}

const isAcceptedByNode = (bytes: Buffer): boolean => {
  try {
    JSON.parse(bytes.toString())
    return true
  } catch {
    return false
  }
}

test('accepts and refuses damaged documents as JSON.parse does', () => {
  const damaged = fc
    .tuple(jsonDocument, fc.nat(), fc.constantFrom('', '"', '\\', ',', '}', '\n', '0'))
    .map(([{ spaced }, index, replacement]) => replaceCharacter(spaced, index, replacement))
  fc.assert(
    fc.property(damaged, fc.nat(7), (text, offset) => {
      // The bytes begin at any offset of their buffer, because the parser also gets parts of a buffer.
      const bytes = Buffer.from(' '.repeat(offset) + text).subarray(offset)
      assert.is(E.isRight(parseJson(bytes)), isAcceptedByNode(bytes))
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
