import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { suggest, suggestQuoted } from '../../lib/text/suggestion'

const test = suite('text/suggestion')

test('suggests the names that differ in the fewest letters', () => {
  // `model` has two swapped letters, and `mode` one letter less: one difference each.
  assert.is(suggest('modle', ['model', 'mode', 'trace'], '--'), '; did you mean --model or --mode?')
})

test('suggests at most three names', () => {
  assert.is(suggest('q', ['q1', 'q2', 'q3', 'q4']), '; did you mean q1 or q2 or q3?')
})

test('suggests nothing if no name is similar', () => {
  assert.is(suggest('nonsense', ['model', 'trace']), '')
})

test('quotes names of columns, and suggests no other character for a single one', () => {
  assert.is(suggestQuoted('text', ['text ', 'id']), '; did you mean "text "?')
  assert.is(suggestQuoted('a', ['b', 'A']), '; did you mean "A"?')
  assert.is(suggestQuoted('a', ['b']), '')
})

// The time of a comparison grows with the square of the length: with 1000 long names, this test would take hours.
test('does not compare very long words', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `${'a'.repeat(100_000)}${index}`)
  assert.is(suggest('a'.repeat(100_000), names), '')
  assert.is(suggest('aaa', names), '')
})

test('handles more names than a function call can have arguments', () => {
  const names = Array.from({ length: 300_000 }, (_, index) => `q${index}`)
  assert.is(suggest('q', names), '; did you mean q0 or q1 or q2?')
})

test.run()
