import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeResponse } from '../../lib/codec/response'
import { decodeUnitAnswers } from '../../lib/review/unit-answers'

const test = suite('review: answers')

/** The JSON texts of answers about a unit with one behavior. `noul` is the probability of yes. */
const validAnswers = {
  covers_00: '{"type":"noul","noul":0.25}',
  contradicts_spec: '{"type":"noul","noul":0.5}',
  thoroughness: '{"type":"score","score":1.5,"confidence":0.75}',
  weakest_area: '{"type":"choice","choice":"retry","confidence":1}',
}

/** Decodes the answers about a unit with one behavior from a response. Each answer is JSON text. */
const decodeAnswers = (answers: Readonly<Record<string, string>>) => {
  const members = Object.entries(answers).map(([id, answer]) => `"${id}":${answer}`)
  const body = `{"model":"m","answers":{${members.join(',')}}}`
  const response = decodeResponse(Buffer.from(body), '')
  assert.ok(E.isRight(response))
  return decodeUnitAnswers(['does it'], response.right)
}

/** The type of each answer, and an answer to the same question with a number that is too large for a double. */
const cases: ReadonlyArray<{
  readonly id: keyof typeof validAnswers
  readonly type: string
  readonly tooLarge: string
}> = [
  { id: 'covers_00', type: 'noul', tooLarge: '{"type":"noul","noul":1e400}' },
  { id: 'contradicts_spec', type: 'noul', tooLarge: '{"type":"noul","noul":1e400}' },
  {
    id: 'thoroughness',
    type: 'score',
    tooLarge: '{"type":"score","score":1e400,"confidence":0.75}',
  },
  {
    id: 'weakest_area',
    type: 'choice',
    tooLarge: '{"type":"choice","choice":"retry","confidence":1e400}',
  },
]
for (const { id, type, tooLarge } of cases) {
  test(`refuses a response without ${id}`, () => {
    const { [id]: _, ...otherAnswers } = validAnswers
    assert.equal(decodeAnswers(otherAnswers), E.left(`the response has no answer "${id}"`))
  })

  test(`refuses an answer to ${id} of another type`, () => {
    assert.equal(
      decodeAnswers({ ...validAnswers, [id]: '{"type":"rank"}' }),
      E.left(`answer "${id}" is of type rank, expected ${type}`),
    )
  })

  test(`refuses a number in ${id} that is too large for a double`, () => {
    assert.equal(
      decodeAnswers({ ...validAnswers, [id]: tooLarge }),
      E.left(`answer "${id}" holds a number out of range`),
    )
  })
}

test.run()
