import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkRequest } from '../../lib/codec/request'
import { decodeResponse } from '../../lib/codec/response'
import { toJson } from '../../lib/json/draft'
import { writeQuestions } from '../../lib/review/questions'
import { readReadings } from '../../lib/review/readings'

const test = suite('review: questions and readings')

const ids = (count: number) =>
  writeQuestions(Array.from({ length: count }, String)).map(([id]) => id)

test('ids: one per behavior in order, then the three others', () => {
  const rest = ['contradicts_spec', 'thoroughness', 'weakest_area']
  assert.equal(ids(2), ['covers_00', 'covers_01', ...rest])
  const many = ids(101)
  assert.equal(many.slice(9, 11), ['covers_09', 'covers_10'])
  assert.equal(many.slice(99), ['covers_99', 'covers_100', ...rest])
})

test('the questions pass the check before sending, whatever the behaviors', () => {
  const request = {
    state: toJson({}),
    questions: writeQuestions(['', '__proto__', 'x'.repeat(10_000), 'x'.repeat(3)]),
    extra: [],
  }
  assert.equal(checkRequest(request), E.right(undefined))
})

const answers = {
  covers_00: { type: 'noul', noul: 0.25 },
  contradicts_spec: { type: 'noul', noul: 0.5 },
  thoroughness: { type: 'score', score: 1.5, confidence: 0.75 },
  weakest_area: { type: 'choice', choice: 'retry', confidence: 1 },
}
const read = (given: object) => {
  const body = JSON.stringify({ model: 'm', answers: given }).replaceAll('"1e400"', '1e400')
  const response = decodeResponse(Buffer.from(body), '')
  assert.ok(E.isRight(response))
  return readReadings(['does it'], response.right)
}

test('answers become readings', () => {
  assert.equal(
    read({ extra: { type: 'new' }, ...answers }),
    E.right({
      behaviors: [{ id: 'covers_00', behavior: 'does it', covered: 0.25 }],
      contradictsSpec: 0.5,
      thoroughness: 1.5,
      thoroughnessConfidence: 0.75,
      weakestArea: 'retry',
      weakestConfidence: 1,
    }),
  )
})

test('P9: a refusal names its question and, where it has one, its reason', () => {
  const refused = (refusal: object) => read({ ...answers, weakest_area: refusal })
  const message = 'the service refused to answer "weakest_area"'
  assert.equal(refused({ type: 'refusal' }), E.left(message))
  assert.equal(refused({ type: 'refusal', reason: 'SAFETY' }), E.left(`${message}: SAFETY`))
})

for (const id of Object.keys(answers)) {
  test(`${id} missing, of another type, out of range`, () => {
    assert.equal(
      read({ ...answers, [id]: undefined }),
      E.left(`the response has no answer "${id}"`),
    )
    const { left } = read({ ...answers, [id]: { type: 'rank' } }) as E.Left<string>
    assert.match(left, new RegExp(`^answer "${id}" is of type rank, expected (noul|score|choice)$`))
    const whole = Object.entries(answers).find(([name]) => name === id)?.[1] ?? {}
    const huge = Object.fromEntries(
      Object.entries(whole).map(([name, value]) => [
        name,
        typeof value === 'number' ? '1e400' : value,
      ]),
    )
    assert.equal(
      read({ ...answers, [id]: huge }),
      E.left(`answer "${id}" holds a number out of range`),
    )
  })
}

test.run()
