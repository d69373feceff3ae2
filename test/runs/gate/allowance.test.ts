import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isAllowed, parseAllowance } from '../../../lib/runs/gate/allowance'

const test = suite('runs/gate/allowance')

/** Returns `true` if `--allow` with this value tolerates the failed rows. The value must be valid. */
const isTolerated = (value: string, failed: number, rows: number): boolean => {
  const allowance = parseAllowance(value)
  assert.ok(E.isRight(allowance))
  return isAllowed(allowance.right, failed, rows)
}

test('a percentage with two decimals is exact despite the rounding errors of binary fractions', () => {
  // A hundredth of a percent of 10,000 rows is one row.
  for (let hundredths = 0; hundredths <= 10_000; hundredths++) {
    const percent = `${(hundredths / 100).toFixed(2)}%`
    assert.is(isTolerated(percent, hundredths, 10_000), true, percent)
    assert.is(isTolerated(percent, hundredths + 1, 10_000), false, percent)
  }
})

test('a percentage of the rows is not rounded up', () => {
  assert.is(isTolerated('33%', 1, 3), false)
  assert.is(isTolerated('34%', 1, 3), true)
})

test('an absolute number of rows does not depend on the size of the run', () => {
  assert.is(isTolerated('2', 2, 3), true)
  assert.is(isTolerated('2', 3, 1_000_000), false)
  assert.is(isTolerated('0', 0, 0), true)
})

// The last value is the Arabic digit 5.
const invalidValues = ['', '-1', '1.5', '101%', '100.1%', '%', '5 %', '1e2%', '\u0665']
for (const value of invalidValues)
  test(`refuses the value "${value}"`, () => {
    assert.ok(E.isLeft(parseAllowance(value)))
  })

test.run()
