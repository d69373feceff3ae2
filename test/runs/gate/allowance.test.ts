import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isAllowed, parseAllowance } from '../../../lib/runs/gate/allowance'

const test = suite('runs/gate/allowance')

/** Returns `true` if `--allow` with this value tolerates the failed rows; `undefined` if the value is refused. */
const isTolerated = (value: string, failed: number, rows: number): boolean | undefined => {
  const allowance = parseAllowance(value)
  return E.isLeft(allowance) ? undefined : isAllowed(allowance.right, failed, rows)
}

test('a percentage is exact despite the rounding errors of binary fractions', () => {
  for (let hundredths = 0; hundredths <= 10_000; hundredths++) {
    const percent = `${(hundredths / 100).toFixed(2)}%`
    assert.is(isTolerated(percent, hundredths, 10_000), true, percent)
    assert.is(isTolerated(percent, hundredths + 1, 10_000), false, percent)
  }
  assert.is(isTolerated('33%', 1, 3), false)
  assert.is(isTolerated('34%', 1, 3), true)
})

test('an absolute number of rows does not depend on the size of the run', () => {
  assert.is(isTolerated('2', 2, 3), true)
  assert.is(isTolerated('2', 3, 1_000_000), false)
  assert.is(isTolerated('0', 0, 0), true)
})

for (const value of ['', '-1', '1.5', '101%', '100.1%', '%', '5 %', '1e2%', '٥'])
  test(`refuses the value "${value}"`, () => assert.is(isTolerated(value, 0, 1), undefined))

test.run()
