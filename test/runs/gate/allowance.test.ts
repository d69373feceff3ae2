import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isAllowed, parseAllowance } from '../../../lib/runs/gate/allowance'

const test = suite('gate/allowance')

/** Whether so many failed rows are tolerated, `undefined` where the text is refused. */
const allowed = (text: string, failed: number, rows: number): boolean | undefined =>
  pipe(
    parseAllowance(text),
    E.match(
      () => undefined,
      (allowance) => isAllowed(allowance, failed, rows),
    ),
  )

test('a share tolerates exactly that many rows, whatever binary fractions make of it', () => {
  for (let hundredths = 0; hundredths <= 10_000; hundredths++) {
    const text = `${(hundredths / 100).toFixed(2)}%`
    assert.is(allowed(text, hundredths, 10_000), true, text)
    assert.is(allowed(text, hundredths + 1, 10_000), false, text)
  }
  assert.equal([allowed('33%', 1, 3), allowed('34%', 1, 3)], [false, true])
})

test('a number of rows does not depend on how many there are', () => {
  assert.equal(
    [allowed('2', 2, 3), allowed('2', 3, 1_000_000), allowed('0', 0, 0)],
    [true, false, true],
  )
})

for (const text of ['', '-1', '1.5', '101%', '100.1%', '%', '5 %', '1e2%', '٥'])
  test(`is no allowance: "${text}"`, () => assert.is(allowed(text, 0, 1), undefined))

test.run()
