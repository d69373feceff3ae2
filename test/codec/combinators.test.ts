import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  anyArray,
  array,
  type Decoder,
  exactString,
  integer,
  json,
  jsonNumber,
  mapOf,
  nonEmpty,
  number,
  objectOfEach,
  pairsOf,
  string,
  withDefault,
} from '../../lib/codec/combinators'
import { faultsOf, firstFault, formatLoc } from '../../lib/codec/fault'
import { type Draft, encodeText } from '../../lib/codec/json/draft'
import { parseText } from '../../lib/codec/json/parse'
import { object, strictObject } from '../../lib/codec/object'

const test = suite('codec/combinators')

/** Decodes a JSON text. Returns the decoded value as JSON text, or the faults as `path: message`. */
const decodeText = (decoder: Decoder<unknown>, text: string): string | ReadonlyArray<string> => {
  const document = parseText(text)
  if (E.isLeft(document)) throw new Error(document.left.message)
  const value = decoder.decode(document.right)
  if (E.isLeft(value))
    return faultsOf(value.left).map(({ loc, message }) => `${formatLoc(loc)}: ${message}`)
  // The decoders of these tests return JSON values.
  return encodeText(value.right as Draft)
}

const nonEmptyString = nonEmpty(string)

/** Decodes an object with two required members, one that has a default, and three optional ones. */
const unit = object(
  {
    name: nonEmptyString,
    files: nonEmpty(array(nonEmptyString)),
    tags: withDefault(array(string), []),
  },
  { notes: array(string), size: number, meta: pairsOf(json) },
)

const objectWithA = strictObject({}, { a: string })

test('decodes scalars, or refuses a value of another type', () => {
  assert.is(decodeText(string, '"a\\u0062"'), '"ab"')
  assert.equal(decodeText(string, '1'), [': must be a string'])
  assert.is(decodeText(number, '1.50'), '1.5')
  assert.equal(decodeText(number, '"1"'), [': must be a number'])
  // An integer keeps its text; a number does not.
  assert.is(decodeText(integer, '4e2'), '4e2')
  assert.equal(decodeText(integer, '4.2'), [': must be an integer'])
  assert.equal(decodeText(integer, 'true'), [': must be an integer'])
  assert.is(decodeText(json, '[1.0, 2]'), '[1.0,2]')
  assert.is(decodeText(exactString('x'), '"x"'), '"x"')
  assert.equal(decodeText(exactString('x'), '"y"'), [': is invalid'])
  assert.is(decodeText(json, 'null'), 'null')
  assert.is(decodeText(json, '1.0'), '1.0')
  assert.equal(decodeText(nonEmptyString, '""'), [': must not be empty'])
})

test('decodes arrays, and reports every invalid element', () => {
  assert.is(decodeText(array(string), '[ "a" , "b" ]'), '["a","b"]')
  assert.equal(decodeText(array(string), '{}'), [': must be an array'])
  assert.equal(decodeText(array(string), '["a",1,null]'), [
    '[1]: must be a string',
    '[2]: must be a string',
  ])
  assert.equal(decodeText(nonEmpty(array(string)), '[]'), [': must not be empty'])
  assert.equal(decodeText(array(array(string)), '[[],[1]]'), ['[1][0]: must be a string'])
})

test('pairsOf keeps the order of members, and names such as __proto__', () => {
  assert.is(
    decodeText(pairsOf(number), '{"b":1,"10":2,"__proto__":3,"constructor":4,"":5}'),
    '[["b",1],["10",2],["__proto__",3],["constructor",4],["",5]]',
  )
  assert.equal(decodeText(pairsOf(number), '[]'), [': must be an object'])
  assert.equal(decodeText(pairsOf(number), '{"b":"x","a":"y","0":[]}'), [
    '0: must be a number',
    'a: must be a number',
    'b: must be a number',
  ])
})

test('mapOf keeps the last value of a repeated name', () => {
  const arrays = mapOf(anyArray)
  assert.is(decodeText(arrays, '{ "b": [ 1.0 ], "10":[2], "b":[3] }'), '{"b":[3],"10":[2]}')
  assert.equal(decodeText(arrays, '{"b":1,"a":2,"c":[]}'), [
    'a: must be an array',
    'b: must be an array',
  ])
  assert.equal(decodeText(arrays, '7'), [': must be an object'])
})

test('objectOfEach returns the object with its numbers as they were written', () => {
  const numbers = objectOfEach(jsonNumber)
  assert.is(decodeText(numbers, '{"b":1.0, "a":"x","a":2}'), '{"b":1.0,"a":2}')
  assert.equal(decodeText(numbers, '{"b":"x","a":2,"a":"x"}'), [
    'a: must be a number',
    'b: must be a number',
  ])
  assert.equal(decodeText(numbers, '[]'), [': must be an object'])
})

test('objects ignore unknown members and optional ones that are null', () => {
  assert.is(
    decodeText(unit, '{"$schema":"s","notes":null,"files":["f"],"name":"n","meta":{"x":null}}'),
    '{"name":"n","files":["f"],"tags":[],"meta":[["x",null]]}',
  )
})

test('objects report every invalid member, and required ones that are null or absent', () => {
  assert.equal(decodeText(unit, '{"name":"","files":["",1],"size":"big","notes":[3]}'), [
    'name: must not be empty',
    'files[0]: must not be empty',
    'files[1]: must be a string',
    'notes[0]: must be a string',
    'size: must be a number',
  ])
  assert.equal(decodeText(unit, '{"name":null}'), ['name: is required', 'files: is required'])
  assert.equal(decodeText(unit, '"unit"'), [': must be an object'])
  assert.equal(decodeText(array(unit), '[{"name":"a","files":["f"]},{}]'), [
    '[1].name: is required',
    '[1].files: is required',
  ])
})

test('strict objects refuse unknown members, and ignore optional ones that are null', () => {
  assert.is(decodeText(objectWithA, '{}'), '{}')
  assert.is(decodeText(objectWithA, '{"a":null}'), '{}')
  assert.equal(decodeText(objectWithA, '{"toString":1,"a":2,"__proto__":3}'), [
    'toString: unknown field "toString"',
    '__proto__: unknown field "__proto__"',
    'a: must be a string',
  ])
})

test('a fault never contains the invalid value, which may be a secret', () => {
  const document = parseText('{"name":"n","files":["f"],"size":"hunter2","notes":"hunter2"}')
  if (E.isLeft(document)) throw new Error(document.left.message)
  const value = unit.decode(document.right)
  assert.ok(E.isLeft(value))
  const fault = { loc: ['notes'], type: 'array_type', message: 'must be an array' }
  assert.equal(firstFault(value.left), fault)
})

test('formats the path of a fault', () => {
  assert.is(formatLoc([]), '')
  assert.is(formatLoc(['questions', 'q', 'criteria', 1]), 'questions.q.criteria[1]')
  assert.is(formatLoc(['questions', '', 'type']), 'questions..type')
  assert.is(formatLoc([0, 'a']), '[0].a')
})

test.run()
