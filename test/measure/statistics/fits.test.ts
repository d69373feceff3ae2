import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { assignFolds } from '../../../lib/measure/statistics/fits/choose'
import { fitMap } from '../../../lib/measure/statistics/fits/map'
import { fitPlatt } from '../../../lib/measure/statistics/fits/platt'
import type { Numbers } from '../../../lib/measure/statistics/numbers'
import { createGroupUnits } from '../../../lib/measure/statistics/units'
import { createRandom } from '../../../lib/runtime/random'
import { applyMap, createOnes } from './tables'
import { assertNear, createYesTable } from './vectors'

/** A calibration map corrects probabilities. It is fitted to labelled rows, by the method of Platt or by a temperature. */
const test = suite('fits of calibration maps')

/** Fits a Platt map to rows of equal weight, and calibrates probabilities by it. */
const calibrateByPlatt = (
  p: ReadonlyArray<number>,
  truth: Numbers,
  probabilities: ReadonlyArray<number>,
): ReadonlyArray<number> => {
  const rows = { isYesNo: true, table: createYesTable(p), truth, weights: createOnes(p.length) }
  return Array.from(applyMap(fitMap('platt', rows), createYesTable(probabilities)).values)
}

test('Platt uses smoothed targets if a threshold separates the classes', () => {
  const p = Array.from({ length: 40 }, (_, i) => (i < 20 ? 0.3 : 0.6))
  const separated = p.map((value) => (value > 0.5 ? 1 : 0))
  const [low, high] = calibrateByPlatt(p, separated, [0.3, 0.6])
  // Smoothed targets for 20 rows of each class: 1 / (20 + 2) and (20 + 1) / (20 + 2).
  assertNear(low, 1 / 22, 'low', 1e-6)
  assertNear(high, 21 / 22, 'high', 1e-6)
})

test('Platt uses smoothed targets if all rows are of one class', () => {
  const p = Array.from({ length: 40 }, (_, i) => (i < 20 ? 0.3 : 0.6))
  const [low, high] = calibrateByPlatt(p, createOnes(40), [0.3, 0.6])
  // The smoothed target for 40 positives: (40 + 1) / (40 + 2).
  assertNear(low, 41 / 42, 'low', 1e-6)
  assertNear(high, 41 / 42, 'high', 1e-6)
})

test('folds have equal sizes, and do not divide groups of three rows', () => {
  const groupOfRow = Uint32Array.from({ length: 90 }, (_, i) => Math.floor(i / 3))
  const foldOfRow = assignFolds(createGroupUnits(groupOfRow), createRandom(1))
  // Each row is in the fold of the first row of its group.
  for (let row = 0; row < 90; row++) assert.is(foldOfRow[row], foldOfRow[row - (row % 3)])
  // The cross-validation has 5 folds, so each has 18 of the 90 rows.
  for (let fold = 0; fold < 5; fold++)
    assert.is(foldOfRow.filter((value) => value === fold).length, 18)
})

const extremeCases = [
  { title: 'separated classes', p: [0.1, 0.2, 0.8, 0.9], truth: [0, 0, 1, 1] },
  { title: 'separated classes in reverse', p: [0.1, 0.2, 0.8, 0.9], truth: [1, 1, 0, 0] },
  { title: 'equal probabilities', p: [0.5, 0.5, 0.5], truth: [1, 1, 0] },
  { title: 'one class', p: [1, 1], truth: [1, 1] },
  { title: 'probabilities of 0 and 1 that are wrong', p: [0, 1], truth: [1, 0] },
]

for (const { title, p, truth } of extremeCases)
  test(`Platt returns numbers from 0 to 1 for ${title}`, () => {
    for (const calibrated of calibrateByPlatt(p, truth, [0, 0.3, 1]))
      assert.ok(calibrated >= 0 && calibrated <= 1, `${calibrated}`)
  })

test('Platt calibrates a constant probability to the share of yes', () => {
  const [calibrated] = calibrateByPlatt([0.9, 0.9, 0.9, 0.9], [1, 0, 0, 0], [0.9])
  assertNear(calibrated, 0.25, 'the share of yes', 1e-6)
})

test('a very low temperature gives the likeliest label the probability 1, without NaN', () => {
  const map = { method: 'temperature', temperature: 1e-320 } as const
  const { values } = applyMap(map, { values: [0.7, 0.2, 0.1], columns: 3 })
  assert.equal(Array.from(values), [1, 0, 0])
})

test('a temperature keeps the order of labels, and the sum of 1', () => {
  const table = { values: [0.7, 0.2, 0.1], columns: 3 }
  const { values } = applyMap({ method: 'temperature', temperature: 2 }, table)
  const [a, b, c] = Array.from(values) as [number, number, number]
  assert.ok(a > b && b > c)
  assert.ok(a < 0.7)
  assertNear(a + b + c, 1, 'sum')
})

test('a temperature gives finite probabilities for 0 and 1', () => {
  const table = { values: [0, 0, 1], columns: 3 }
  const { values } = applyMap({ method: 'temperature', temperature: 2 }, table)
  assertNear(
    Array.from(values).reduce((a, b) => a + b),
    1,
    'sum',
  )
})

test('the fit stays finite if a threshold separates the rows the wrong way', () => {
  const x = Float64Array.of(-2, -1, 1, 2)
  const { slope } = fitPlatt(x, [1, 1, 0, 0], [1, 1, 1, 1])
  assert.ok(slope < 0 && slope > -5, `slope ${slope}`)
})

test.run()
