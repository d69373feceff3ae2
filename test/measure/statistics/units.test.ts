import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  computeDesignEffect,
  createGroupUnits,
  measureGroupSpread,
  type Units,
} from '../../../lib/measure/statistics/units'
import { assertNear } from './vectors'

const test = suite('units and groups of rows')

// B is the mean square between groups, W that within groups, m₀ the typical size of a group.
const twoGroups = createGroupUnits([0, 0, 1, 1])
const threeGroups = createGroupUnits([0, 0, 0, 1, 1, 2])

const correlationCases: ReadonlyArray<
  readonly [title: string, right: number[], units: Units, correlation: number]
> = [
  ['0 for B = W = 1/4', [1, 1, 1, 0], twoGroups, 0],
  ['1 for B = 1 and W = 0', [1, 1, 0, 0], twoGroups, 1],
  [
    '(B − W) / (B + (m₀ − 1)·W) for B = 5/12, W = 2/9 and m₀ = 11/6',
    [1, 1, 0, 0, 0, 1],
    threeGroups,
    (5 / 12 - 2 / 9) / (5 / 12 + (11 / 6 - 1) * (2 / 9)),
  ],
]

for (const [title, right, units, correlation] of correlationCases)
  test(`the correlation within groups is ${title}`, () => {
    assertNear(measureGroupSpread(right, units, undefined).correlation, correlation, 'correlation')
  })

test('the correlation is undefined if all rows are right, and has a fallback then', () => {
  const spread = measureGroupSpread([1, 1, 1, 1], twoGroups, undefined)
  assert.is(spread.correlation, undefined)
  assert.is(computeDesignEffect(spread), 2)
  assert.is(computeDesignEffect(spread, 0.5), 1.5)
})

test('the design effect is 1 + (m′ − 1)·ρ with m′ = Σm²/Σm', () => {
  const spread = measureGroupSpread([1, 1, 0, 0, 0, 1], threeGroups, undefined)
  const designEffect = 1 + (14 / 6 - 1) * (spread.correlation ?? Number.NaN)
  assertNear(computeDesignEffect(spread), designEffect, 'design effect')
})

test.run()
