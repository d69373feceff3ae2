import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeResponse } from '../../lib/codec/response'
import { toReadings } from '../../lib/review/readings'

const test = suite('review: questions and readings')

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
  return toReadings(['does it'], response.right)
}

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
