import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { choice, noul, requirement, score } from '../../lib/library'

const test = suite('library/judge')

const questions = {
  tone: choice('?', ['calm', 'angry']),
  urgency: score('?', ['a', 'b', 'c']),
}
const calmOrUrgent = requirement('tone.choice == "calm" or urgency.level > 1')

test('requirement throws an error with the column of a syntax error', () => {
  assert.throws(() => requirement('q.noul >='), /^require: .* at column \d+: q\.noul >=$/)
})

test('check accepts questions that have all fields of the requirement', () => {
  calmOrUrgent.check(questions)
})

test('check throws if a question of the requirement is missing', () => {
  assert.throws(() => calmOrUrgent.check({ tone: questions.tone }), 'urgency')
})

test('judge passes answers that meet the requirement', () => {
  // The answer to a yes/no question is the probability of yes, `noul`.
  const isLikely = requirement('q.noul >= 0.5')
  isLikely.check({ q: noul('?') })
  assert.equal(isLikely.judge({ q: { type: 'noul', noul: 0.7 } }), {
    passed: true,
    failed: [],
    unevaluable: [],
  })
})

test('judge reports an expression as unevaluable if an answer is missing', () => {
  // The answer about the urgency is missing. An expression needs all of its answers, even if the left side of `or` is true.
  assert.equal(calmOrUrgent.judge({ tone: { type: 'choice', choice: 'calm' } }), {
    passed: false,
    failed: [],
    unevaluable: calmOrUrgent.expressions,
  })
})

test('judge throws if an answer is invalid', () => {
  assert.throws(() => calmOrUrgent.judge({ tone: { type: 'choice' } }), 'answers.tone.choice')
})

test.run()
