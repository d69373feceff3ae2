import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  computeDesignEffect,
  createGroupUnits,
  measureGroupSpread,
} from '../../../lib/measure/statistics/units'
import { assertNear } from './vectors'

/** A unit is a group of rows, or a row without a group. */
const test = suite('units and groups of rows')

const twoGroups = createGroupUnits([0, 0, 1, 1])
const threeGroups = createGroupUnits([0, 0, 0, 1, 1, 2])

// B is the mean square between groups, W the mean square within groups, and m₀ the typical size of a group.
const correlationCases = [
  { title: '0 for B = W = 1/4', right: [1, 1, 1, 0], units: twoGroups, correlation: 0 },
  { title: '1 for B = 1 and W = 0', right: [1, 1, 0, 0], units: twoGroups, correlation: 1 },
  {
    title: '(B − W) / (B + (m₀ − 1)·W) for B = 5/12, W = 2/9 and m₀ = 11/6',
    right: [1, 1, 0, 0, 0, 1],
    units: threeGroups,
    correlation: (5 / 12 - 2 / 9) / (5 / 12 + (11 / 6 - 1) * (2 / 9)),
  },
]

for (const { title, right, units, correlation } of correlationCases)
  test(`the correlation within groups is ${title}`, () => {
    assertNear(measureGroupSpread(right, units).correlation, correlation, 'correlation')
  })

test('the correlation is undefined if all rows are right, and has a fallback then', () => {
  const spread = measureGroupSpread([1, 1, 1, 1], twoGroups)
  assert.is(spread.correlation, undefined)
  // Groups have two rows: 1 + (2 − 1)·ρ, with 1 as the default fallback for ρ.
  assert.is(computeDesignEffect(spread), 2)
  assert.is(computeDesignEffect(spread, 0.5), 1.5)
})

test('the design effect is 1 + (m′ − 1)·ρ with m′ = Σm²/Σm', () => {
  const spread = measureGroupSpread([1, 1, 0, 0, 0, 1], threeGroups)
  // Groups have 3, 2 and 1 rows: Σm² = 14 and Σm = 6.
  const designEffect = 1 + (14 / 6 - 1) * (spread.correlation ?? Number.NaN)
  assertNear(computeDesignEffect(spread), designEffect, 'design effect')
})

test('the correlation of groups whose rows differ more than by chance is 0', () => {
  const units = createGroupUnits([0, 0, 1, 1, 2, 2])
  assert.is(measureGroupSpread([1, 0, 0, 1, 1, 0], units).correlation, 0)
})

test.run()
