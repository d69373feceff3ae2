import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeResponse } from '../../lib/codec/response'
import { toReadings } from '../../lib/review/readings'

const test = suite('review: readings')

const validAnswers = {
  covers_00: '{"type":"noul","noul":0.25}',
  contradicts_spec: '{"type":"noul","noul":0.5}',
  thoroughness: '{"type":"score","score":1.5,"confidence":0.75}',
  weakest_area: '{"type":"choice","choice":"retry","confidence":1}',
}

/** Decodes a response with these answers, and converts it to readings of a unit with one behavior. */
const readAnswers = (answers: Readonly<Record<string, string>>) => {
  const members = Object.entries(answers).map(([id, answer]) => `"${id}":${answer}`)
  const body = `{"model":"m","answers":{${members.join(',')}}}`
  const response = decodeResponse(Buffer.from(body), '')
  assert.ok(E.isRight(response))
  return toReadings(['does it'], response.right)
}

const invalidAnswers: ReadonlyArray<
  readonly [id: keyof typeof validAnswers, type: string, outOfRange: string]
> = [
  ['covers_00', 'noul', '{"type":"noul","noul":1e400}'],
  ['contradicts_spec', 'noul', '{"type":"noul","noul":1e400}'],
  ['thoroughness', 'score', '{"type":"score","score":1e400,"confidence":0.75}'],
  ['weakest_area', 'choice', '{"type":"choice","choice":"retry","confidence":1e400}'],
]
for (const [id, type, outOfRange] of invalidAnswers) {
  test(`refuses a response without ${id}`, () => {
    const { [id]: _, ...otherAnswers } = validAnswers
    assert.equal(readAnswers(otherAnswers), E.left(`the response has no answer "${id}"`))
  })

  test(`refuses an answer to ${id} of another type`, () => {
    assert.equal(
      readAnswers({ ...validAnswers, [id]: '{"type":"rank"}' }),
      E.left(`answer "${id}" is of type rank, expected ${type}`),
    )
  })

  test(`refuses a number in ${id} that is too large for a double`, () => {
    assert.equal(
      readAnswers({ ...validAnswers, [id]: outOfRange }),
      E.left(`answer "${id}" holds a number out of range`),
    )
  })
}

test.run()
