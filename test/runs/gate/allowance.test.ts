import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isAllowed, parseAllowance } from '../../../lib/runs/gate/allowance'

const test = suite('runs/gate/allowance')

/** Returns whether the failed rows are tolerated; `undefined` if the text is refused. */
const isTolerated = (text: string, failed: number, rows: number): boolean | undefined =>
  pipe(
    parseAllowance(text),
    E.match(
      () => undefined,
      (allowance) => isAllowed(allowance, failed, rows),
    ),
  )

test('a percentage tolerates exactly that share of rows, despite binary fractions', () => {
  for (let hundredths = 0; hundredths <= 10_000; hundredths++) {
    const text = `${(hundredths / 100).toFixed(2)}%`
    assert.is(isTolerated(text, hundredths, 10_000), true, text)
    assert.is(isTolerated(text, hundredths + 1, 10_000), false, text)
  }
  assert.equal([isTolerated('33%', 1, 3), isTolerated('34%', 1, 3)], [false, true])
})

test('a number of rows does not depend on the size of the run', () => {
  assert.equal(
    [isTolerated('2', 2, 3), isTolerated('2', 3, 1_000_000), isTolerated('0', 0, 0)],
    [true, false, true],
  )
})

for (const text of ['', '-1', '1.5', '101%', '100.1%', '%', '5 %', '1e2%', '٥'])
  test(`refuses the allowance "${text}"`, () => assert.is(isTolerated(text, 0, 1), undefined))

test.run()
