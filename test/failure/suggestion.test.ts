import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { suggest } from '../../lib/failure/suggestion'

const test = suite('failure/suggestion')

test('suggests up to three of the nearest names', () => {
  assert.is(suggest('modle', ['model', 'mode', 'trace'], '--'), '; did you mean --model or --mode?')
  assert.is(suggest('q', ['q1', 'q2', 'q3', 'q4']), '; did you mean q1 or q2 or q3?')
  assert.is(suggest('nonsense', ['model', 'trace']), '')
})

test('does not compare long words, and handles very many names', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `${'a'.repeat(100_000)}${index}`)
  assert.is(suggest('a'.repeat(100_000), names), '')
  assert.is(suggest('aaa', names), '')
  const many = Array.from({ length: 300_000 }, (_, index) => `q${index}`)
  assert.is(suggest('q', many), '; did you mean q0 or q1 or q2?')
})

test.run()
