import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { computeMinRowsForProof } from '../../../lib/measure/statistics/cut-evidence'
import { type CutTarget, chooseCut as choose } from '../../../lib/measure/statistics/cuts'
import { clopperPearsonLower } from '../../../lib/measure/statistics/intervals'
import { createOnes, type Numbers } from '../../../lib/measure/statistics/numbers'
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
    assert.is(computeMinRowsForProof(target, confidence), rows)
  })

test('a cut is the last candidate of the sequence that passes', () => {
  const scale = createDescendingScale(1000)
  const right = scale.map((value) => (value > 0.55 ? 1 : 0))
  const cut = chooseCut({ figure: 'precision', value: 0.9 }, 0.95, scale, right, createOnes(1000))
  assert.is(cut.threshold, scale[399])
  assert.is(cut.acceptedRows, 400)
  assert.is(cut.minRowsForProof, 29)
  assertNear(cut.lowerBound, clopperPearsonLower(400, 400, 0.95), 'low')
})

test('skips candidates with too few rows, and stops at the first one that fails', () => {
  const scale = createDescendingScale(200)
  const right = scale.map((_, i) => (i < 5 ? 0 : 1))
  const target = { figure: 'accuracy', value: 0.9 } as const
  const cut = chooseCut(target, 0.95, scale, right, createOnes(200))
  assert.is(cut.threshold, null)
  assert.is(cut.acceptedRows, 0)
  // The target needs 29 rows, and a candidate a quarter of the 200 rows: 60 is the first one with that many.
  assert.match(
    cut.reason ?? '',
    /^0.917 of 60 accepted rows are right; the lower bound of accuracy is 0\.8\d+$/,
  )
})

test('explains that there are too few rows for a target', () => {
  const cut = chooseCut(
    { figure: 'precision', value: 0.99 },
    0.95,
    [0.9, 0.8],
    [1, 1],
    createOnes(2),
  )
  assert.equal(cut, {
    threshold: null,
    acceptedRows: 0,
    acceptedShare: 0,
    lowerBound: null,
    minRowsForProof: 299,
    reason: 'a proof of precision 0.99 takes 299 rows, and there are 2',
    missingLabels: { kind: 'rows', count: 297 },
  })
})

test('recall is tested over the positives, beginning with the lowest threshold', () => {
  const scale = createDescendingScale(500)
  const right = scale.map((value) => (value > 0.5 ? 1 : 0))
  const cut = chooseCut({ figure: 'recall', value: 0.95 }, 0.95, scale, right, createOnes(500))
  assert.is(cut.threshold, scale[249])
  assertNear(cut.lowerBound, clopperPearsonLower(250, 250, 0.95), 'low')
})

test('recall has no cut without positives', () => {
  const scale = createDescendingScale(500)
  const right = scale.map(() => 0)
  const cut = chooseCut({ figure: 'recall', value: 0.95 }, 0.95, scale, right, createOnes(500))
  assert.is(cut.reason, 'a proof of recall 0.95 takes 59 rows, and there are 0')
})

const coverageCases = [
  { target: 0.2, threshold: 0.9, acceptedRows: 1 },
  { target: 0.3, threshold: 0.8, acceptedRows: 3 },
  { target: 0.6, threshold: 0.8, acceptedRows: 3 },
  { target: 1, threshold: 0.6, acceptedRows: 5 },
]

for (const { target, threshold, acceptedRows } of coverageCases)
  test(`a cut for coverage ${target} is the highest one that reaches it`, () => {
    const scale = [0.9, 0.8, 0.8, 0.7, 0.6]
    const cut = chooseCut({ figure: 'coverage', value: target }, 0.95, scale, scale, createOnes(5))
    const acceptedShare = acceptedRows / scale.length
    assert.equal(cut, { threshold, acceptedRows, acceptedShare, lowerBound: acceptedShare })
  })

/** The 30 surest of 100 rows were drawn with a chance of 1 in 30, the others with certainty. */
const sureWeights = createDescendingScale(100).map((_, i) => (i < 30 ? 30 : 1))

test('candidates divide the weight of the rows into tenths', () => {
  const list = listAcceptedRows(10, createDescendingScale(100), createOnes(100), sureWeights)
  assert.equal(
    list.map(({ rows }) => rows),
    [4, 7, 10, 13, 17, 20, 23, 26, 30, 100],
  )
})

test('finds a cut among few rows that have most of the weight', () => {
  const right = sureWeights.map((_, i) => (i < 30 ? 1 : 0))
  const target = { figure: 'accuracy', value: 0.9 } as const
  const cut = chooseCut(target, 0.95, createDescendingScale(100), right, sureWeights)
  assert.is(cut.acceptedRows, 30)
  assert.is(cut.acceptedShare, 900 / 970)
})

test('counts the labels that are missing for a cut, or estimates them', () => {
  const right = Float64Array.from({ length: 100 }, (_, i) => (i % 16 === 0 ? 0 : 1))
  const findMissing = (value: number) => {
    const target = { figure: 'accuracy', value } as const
    return chooseCut(target, 0.95, createDescendingScale(100), right, createOnes(100)).missingLabels
  }
  assert.is(findMissing(0.8), undefined, 'there is a cut')
  assert.is(findMissing(0.9)?.kind, 'estimate')
  assert.is(findMissing(0.95), undefined, 'the answers are not right that often')
  assert.equal(findMissing(0.99), { kind: 'rows', count: 199 })
})

test('rows of different weights are less evidence than rows of equal weight', () => {
  const scale = createDescendingScale(40)
  const target = { figure: 'precision', value: 0.9 } as const
  const differentWeights = scale.map((_, i) => (i % 2 === 0 ? 9 : 1))
  assert.is(chooseCut(target, 0.95, scale, createOnes(40), createOnes(40)).acceptedRows, 40)
  assert.is(chooseCut(target, 0.95, scale, createOnes(40), differentWeights).threshold, null)
})

test.run()
