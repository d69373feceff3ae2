import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  anyArray,
  array,
  type Decoder,
  dictionary,
  integer,
  json,
  literal,
  literalNumber,
  nonEmpty,
  number,
  objectOfEach,
  record,
  string,
  withDefault,
} from '../../lib/codec/combinators'
import { faultsOf, firstFault, formatLoc } from '../../lib/codec/fault'
import { type Draft, encodeText } from '../../lib/codec/json/draft'
import { parseText } from '../../lib/codec/json/parse'
import { object, strictObject } from '../../lib/codec/object'

const test = suite('codec/combinators')

/** Decodes a text. Returns the value as JSON, or the faults as `path: message`. */
const outcome = (decoder: Decoder<unknown>, text: string): string | ReadonlyArray<string> => {
  const document = parseText(text)
  if (E.isLeft(document)) throw new Error(document.left.message)
  const value = decoder.decode(document.right)
  if (E.isLeft(value))
    return faultsOf(value.left).map(({ loc, message }) => `${formatLoc(loc)}: ${message}`)
  const read = value.right instanceof Map ? new Map<string, Draft>(value.right) : value.right
  return encodeText(read as Draft)
}

const filled = nonEmpty(string)

const unit = object(
  { name: filled, files: nonEmpty(array(filled)), tags: withDefault(array(string), []) },
  { notes: array(string), size: number, meta: record(json) },
)

const strict = strictObject({}, { a: string })

test('scalars', () => {
  assert.is(outcome(string, '"a\\u0062"'), '"ab"')
  assert.equal(outcome(string, '1'), [': must be a string'])
  assert.is(outcome(number, '1.50'), '1.5')
  assert.equal(outcome(number, '"1"'), [': must be a number'])
  assert.is(outcome(integer, '4e2'), '4e2')
  assert.equal(outcome(integer, '4.2'), [': must be an integer'])
  assert.equal(outcome(integer, 'true'), [': must be an integer'])
  assert.is(outcome(json, '[1.0, 2]'), '[1.0,2]')
  assert.is(outcome(literal('x'), '"x"'), '"x"')
  assert.equal(outcome(literal('x'), '"y"'), [': is invalid'])
  assert.is(outcome(json, 'null'), 'null')
  assert.is(outcome(json, '1.0'), '1.0')
  assert.equal(outcome(filled, '""'), [': must not be empty'])
})

test('arrays', () => {
  assert.is(outcome(array(string), '[ "a" , "b" ]'), '["a","b"]')
  assert.equal(outcome(array(string), '{}'), [': must be an array'])
  assert.equal(outcome(array(string), '["a",1,null]'), [
    '[1]: must be a string',
    '[2]: must be a string',
  ])
  assert.equal(outcome(nonEmpty(array(string)), '[]'), [': must not be empty'])
  assert.equal(outcome(array(array(string)), '[[],[1]]'), ['[1][0]: must be a string'])
})

test('records keep order and every name', () => {
  assert.is(
    outcome(record(number), '{"b":1,"10":2,"__proto__":3,"constructor":4,"":5}'),
    '[["b",1],["10",2],["__proto__",3],["constructor",4],["",5]]',
  )
  assert.equal(outcome(record(number), '[]'), [': must be an object'])
  assert.equal(outcome(record(number), '{"b":"x","a":"y","0":[]}'), [
    '0: must be a number',
    'a: must be a number',
    'b: must be a number',
  ])
})

test('dictionaries keep the last value of a repeated name', () => {
  const named = dictionary(anyArray)
  assert.is(outcome(named, '{ "b": [ 1.0 ], "10":[2], "b":[3] }'), '{"b":[3],"10":[2]}')
  assert.equal(outcome(named, '{"b":1,"a":2,"c":[]}'), [
    'a: must be an array',
    'b: must be an array',
  ])
  assert.equal(outcome(named, '7'), [': must be an object'])
})

test('objectOfEach returns the object itself', () => {
  const numbers = objectOfEach(literalNumber)
  assert.is(outcome(numbers, '{"b":1.0, "a":"x","a":2}'), '{"b":1.0,"a":2}')
  assert.equal(outcome(numbers, '{"b":"x","a":2,"a":"x"}'), [
    'a: must be a number',
    'b: must be a number',
  ])
  assert.equal(outcome(numbers, '[]'), [': must be an object'])
})

test('objects ignore members with other names', () => {
  assert.is(
    outcome(unit, '{"$schema":"s","notes":null,"files":["f"],"name":"n","meta":{"x":null}}'),
    '{"name":"n","files":["f"],"tags":[],"meta":[["x",null]]}',
  )
  assert.equal(outcome(unit, '{"name":"","files":["",1],"size":"big","notes":[3]}'), [
    'name: must not be empty',
    'files[0]: must not be empty',
    'files[1]: must be a string',
    'notes[0]: must be a string',
    'size: must be a number',
  ])
  assert.equal(outcome(unit, '{"name":null}'), ['name: is required', 'files: is required'])
  assert.equal(outcome(unit, '"unit"'), [': must be an object'])
  assert.equal(outcome(array(unit), '[{"name":"a","files":["f"]},{}]'), [
    '[1].name: is required',
    '[1].files: is required',
  ])
})

test('strict objects refuse members with other names', () => {
  assert.is(outcome(strict, '{}'), '{}')
  assert.is(outcome(strict, '{"a":null}'), '{}')
  assert.equal(outcome(strict, '{"toString":1,"a":2,"__proto__":3}'), [
    'toString: unknown field "toString"',
    '__proto__: unknown field "__proto__"',
    'a: must be a string',
  ])
})

test('reports the first fault without its value', () => {
  const document = parseText('{"name":"n","files":["f"],"size":"hunter2","notes":"hunter2"}')
  if (E.isLeft(document)) throw new Error(document.left.message)
  const value = unit.decode(document.right)
  assert.ok(E.isLeft(value))
  const fault = { loc: ['notes'], type: 'array_type', message: 'must be an array' }
  assert.equal(firstFault(value.left), fault)
})

test('formats paths', () => {
  assert.is(formatLoc([]), '')
  assert.is(formatLoc(['questions', 'q', 'criteria', 1]), 'questions.q.criteria[1]')
  assert.is(formatLoc(['questions', '', 'type']), 'questions..type')
  assert.is(formatLoc([0, 'a']), '[0].a')
})

test.run()
