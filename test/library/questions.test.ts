import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { asQuestions, choice, noul, UsageError, ValidationError } from '../../lib/library'

const test = suite('library/questions')

test('asQuestions returns parsed questions of all types', () => {
  const value: unknown = JSON.parse(
    '{"a":{"type":"noul","instructions":"?"},"b":{"type":"choice","criteria":{"x":null,"y":"z"}},"c":{"type":"score","criteria":["l","h"]}}',
  )
  assert.is(asQuestions(value), value)
  assert.equal(asQuestions({ a: noul('?'), b: choice('?', ['x', 'y']) }).a, noul('?'))
})

const refusals: ReadonlyArray<{
  readonly value: unknown
  readonly errorClass: typeof UsageError | typeof ValidationError
  readonly message: RegExp
}> = [
  { value: undefined, errorClass: UsageError, message: /the questions are not a JSON value/ },
  { value: [], errorClass: UsageError, message: /questions: must be an object/ },
  { value: { a: 'is it?' }, errorClass: UsageError, message: /questions\.a: must be an object/ },
  { value: {}, errorClass: ValidationError, message: /at least one question is required/ },
  {
    value: { a: { type: 'choice', criteria: {} } },
    errorClass: ValidationError,
    message: /questions\.a\.criteria/,
  },
  {
    value: { a: { type: 'box', instructions: '?' } },
    errorClass: ValidationError,
    message: /questions\.a\.type: must be noul, choice or score/,
  },
]

for (const { value, errorClass, message } of refusals)
  test(`asQuestions refuses ${JSON.stringify(value)} with ${message.source}`, () => {
    assert.throws(
      () => asQuestions(value),
      (error: Error) => error instanceof errorClass && message.test(error.message),
    )
  })

test.run()
