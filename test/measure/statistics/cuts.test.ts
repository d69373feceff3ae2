import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { computeNeededRows } from '../../../lib/measure/statistics/cut-evidence'
import { type CutTarget, chooseCut as choose } from '../../../lib/measure/statistics/cuts'
import { clopperPearsonLower } from '../../../lib/measure/statistics/intervals'
import { type Numbers, ones } from '../../../lib/measure/statistics/numbers'
import { listAcceptedRows } from '../../../lib/measure/statistics/thresholds'
import { createRowUnits } from '../../../lib/measure/statistics/units'
import { assertNear } from './vectors'

const test = suite('cuts')

/** Chooses a cut from rows without groups. */
const chooseCut = (
  target: CutTarget,
  confidence: number,
  scale: Numbers,
  right: Numbers,
  weights: Numbers,
) => {
  const units = createRowUnits(scale.length)
  return choose(target, confidence, { scale, right, weights, units, designEffect: 1 })
}

/** Creates `count` numbers from 1 down to above 0, in equal steps. */
const createDescendingScale = (count: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => 1 - i / count)

for (const [target, confidence, rows] of [
  [0.9, 0.95, 29],
  [0.95, 0.95, 59],
  [0.98, 0.95, 149],
  [0.99, 0.95, 299],
  [0.5, 0.5, 1],
] as const)
  test(`a proof of ${target} with confidence ${confidence} takes ${rows} rows`, () => {
    assert.is(computeNeededRows(target, confidence), rows)
  })

test('a cut is the last candidate of the sequence that passes', () => {
  const scale = createDescendingScale(1000)
  const right = scale.map((value) => (value > 0.55 ? 1 : 0))
  const cut = chooseCut({ figure: 'precision', value: 0.9 }, 0.95, scale, right, ones(1000))
  assert.is(cut.at, scale[399])
  assert.is(cut.n, 400)
  assert.is(cut.needs, 29)
  assertNear(cut.low, clopperPearsonLower(400, 400, 0.95), 'low')
})

test('skips candidates with too few rows, and stops at the first one that fails', () => {
  const scale = createDescendingScale(200)
  const right = scale.map((_, i) => (i < 5 ? 0 : 1))
  const target = { figure: 'accuracy', value: 0.9 } as const
  const cut = chooseCut(target, 0.95, scale, right, ones(200))
  assert.is(cut.at, null)
  assert.is(cut.n, 0)
  // The target needs 29 rows, and a candidate a quarter of the 200 rows: 60 is the first one with that many.
  assert.match(
    cut.why ?? '',
    /^0.917 of 60 accepted rows are right; the lower bound of accuracy is 0\.8\d+$/,
  )
})

test('explains that there are too few rows for a target', () => {
  const cut = chooseCut({ figure: 'precision', value: 0.99 }, 0.95, [0.9, 0.8], [1, 1], ones(2))
  assert.equal(cut, {
    at: null,
    n: 0,
    share: 0,
    low: null,
    needs: 299,
    why: 'a proof of precision 0.99 takes 299 rows, and there are 2',
    missing: { what: 'rows', count: 297 },
  })
})

test('recall is tested over the positives, beginning with the lowest threshold', () => {
  const scale = createDescendingScale(500)
  const right = scale.map((value) => (value > 0.5 ? 1 : 0))
  const cut = chooseCut({ figure: 'recall', value: 0.95 }, 0.95, scale, right, ones(500))
  assert.is(cut.at, scale[249])
  assertNear(cut.low, clopperPearsonLower(250, 250, 0.95), 'low')
})

test('recall has no cut without positives', () => {
  const scale = createDescendingScale(500)
  const right = scale.map(() => 0)
  const cut = chooseCut({ figure: 'recall', value: 0.95 }, 0.95, scale, right, ones(500))
  assert.is(cut.why, 'a proof of recall 0.95 takes 59 rows, and there are 0')
})

for (const [target, at, n] of [
  [0.2, 0.9, 1],
  [0.3, 0.8, 3],
  [0.6, 0.8, 3],
  [1, 0.6, 5],
] as const)
  test(`a cut for coverage ${target} is the highest one that reaches it`, () => {
    const scale = [0.9, 0.8, 0.8, 0.7, 0.6]
    const cut = chooseCut({ figure: 'coverage', value: target }, 0.95, scale, scale, ones(5))
    assert.equal(cut, { at, n, share: n / 5, low: n / 5 })
  })

/** The 30 surest of 100 rows were drawn with a chance of 1 in 30, the others with certainty. */
const sureWeights = createDescendingScale(100).map((_, i) => (i < 30 ? 30 : 1))

test('candidates divide the weight of the rows into tenths', () => {
  const list = listAcceptedRows(10, createDescendingScale(100), ones(100), sureWeights)
  assert.equal(
    list.map(({ rows }) => rows),
    [4, 7, 10, 13, 17, 20, 23, 26, 30, 100],
  )
})

test('finds a cut among few rows that have most of the weight', () => {
  const right = sureWeights.map((_, i) => (i < 30 ? 1 : 0))
  const target = { figure: 'accuracy', value: 0.9 } as const
  const cut = chooseCut(target, 0.95, createDescendingScale(100), right, sureWeights)
  assert.is(cut.n, 30)
  assert.is(cut.share, 900 / 970)
})

test('counts the labels that are missing for a cut, or estimates them', () => {
  const right = Float64Array.from({ length: 100 }, (_, i) => (i % 16 === 0 ? 0 : 1))
  const findMissing = (value: number) => {
    const target = { figure: 'accuracy', value } as const
    return chooseCut(target, 0.95, createDescendingScale(100), right, ones(100)).missing
  }
  assert.is(findMissing(0.8), undefined, 'there is a cut')
  assert.is(findMissing(0.9)?.what, 'estimate')
  assert.is(findMissing(0.95), undefined, 'the answers are not right that often')
  assert.equal(findMissing(0.99), { what: 'rows', count: 199 })
})

test('rows of different weights are less evidence than rows of equal weight', () => {
  const scale = createDescendingScale(40)
  const target = { figure: 'precision', value: 0.9 } as const
  const differentWeights = scale.map((_, i) => (i % 2 === 0 ? 9 : 1))
  assert.is(chooseCut(target, 0.95, scale, ones(40), ones(40)).n, 40)
  assert.is(chooseCut(target, 0.95, scale, ones(40), differentWeights).at, null)
})

test.run()
