import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { computeMinRowsForProof } from '../../../lib/measure/statistics/cut-evidence'
import { type CutTarget, chooseCut, testCandidates } from '../../../lib/measure/statistics/cuts'
import { clopperPearsonLower } from '../../../lib/measure/statistics/intervals'
import type { Numbers } from '../../../lib/measure/statistics/numbers'
import { findSampleGrowth } from '../../../lib/measure/statistics/sample-growth'
import { listAcceptedRows } from '../../../lib/measure/statistics/thresholds'
import { createRowUnits } from '../../../lib/measure/statistics/units'
import { createOnes } from './tables'
import { assertNear } from './vectors'

/**
 * A cut is a threshold: rows whose probability is at or above it are accepted without a person. The scale has the probabilities of the
 * rows. A cut is chosen among up to ten candidates, which divide the rows into tenths. A candidate passes if the lower bound of the
 * figure reaches the target.
 */
const test = suite('cuts')

/** The target of a cut, and labelled rows without groups. */
interface CutCase extends CutTarget {
  readonly scale: Numbers
  /** 1 for each row that is a yes, or whose decision is right, else 0. */
  readonly hits: Numbers
  /** Default: equal weights. */
  readonly weights?: Numbers
}

/** Chooses a cut with a confidence of 95 %. */
const findCut = ({ figure, value, scale, hits, weights = createOnes(scale.length) }: CutCase) => {
  const units = createRowUnits(scale.length)
  return chooseCut({ figure, value }, 0.95, { scale, hits, weights, units })
}

/** Creates `count` numbers from 1 down to above 0, in equal steps. */
const createDescendingScale = (count: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => 1 - i / count)

/** The smallest numbers of rows with target ** minRows <= 1 − confidence. */
const proofCases = [
  { target: 0.9, confidence: 0.95, minRows: 29 },
  { target: 0.95, confidence: 0.95, minRows: 59 },
  { target: 0.98, confidence: 0.95, minRows: 149 },
  { target: 0.99, confidence: 0.95, minRows: 299 },
  { target: 0.5, confidence: 0.5, minRows: 1 },
]

for (const { target, confidence, minRows } of proofCases)
  test(`a proof of ${target} with confidence ${confidence} takes ${minRows} rows`, () => {
    assert.is(computeMinRowsForProof(target, confidence), minRows)
  })

test('a cut is the last candidate of the sequence that passes', () => {
  const scale = createDescendingScale(1000)
  const hits = scale.map((value) => (value > 0.55 ? 1 : 0))
  const cut = findCut({ figure: 'accuracy', value: 0.9, scale, hits })
  // Candidates accept 100, 200, … rows. The first 450 rows are right, so only 90 % of 500 are: the lower bound is below 0.9.
  assert.is(cut.threshold, scale[399])
  assert.is(cut.acceptedRows, 400)
  assert.is(cut.minRowsForProof, 29)
  assertNear(cut.lowerBound, clopperPearsonLower(400, 400, 0.95), 'low')
})

test('skips candidates with too few rows, and stops at the first one that fails', () => {
  const scale = createDescendingScale(200)
  const hits = scale.map((_, i) => (i < 5 ? 0 : 1))
  const cut = findCut({ figure: 'accuracy', value: 0.9, scale, hits })
  assert.is(cut.threshold, null)
  assert.is(cut.acceptedRows, 0)
  // A proof takes 29 rows, and a candidate must have a quarter of the 200 rows. Candidates have 20, 40, 60, … rows, so the first
  // one that is tested has 60. 5 of these are wrong: 55/60 = 0.917.
  assert.match(
    cut.reason ?? '',
    /^0\.917 of 60 accepted rows are right; the lower bound of accuracy is 0\.8\d+$/,
  )
})

test('explains that there are too few rows for a target', () => {
  const cut = findCut({ figure: 'precision', value: 0.99, scale: [0.9, 0.8], hits: [1, 1] })
  assert.equal(cut, {
    threshold: null,
    acceptedRows: 0,
    acceptedShare: 0,
    lowerBound: null,
    minRowsForProof: 299,
    reason: 'a proof of precision 0.99 takes 299 rows, and there are 2',
  })
})

test('recall is tested over the positives, beginning with the lowest threshold', () => {
  const scale = createDescendingScale(500)
  const hits = scale.map((value) => (value > 0.5 ? 1 : 0))
  const cut = findCut({ figure: 'recall', value: 0.95, scale, hits })
  // The first 250 rows are positives. The candidate of 245 rows finds 245 of them, which proves 0.95. That of 240 rows does not.
  assert.is(cut.threshold, scale[244])
  assertNear(cut.lowerBound, clopperPearsonLower(245, 250, 0.95), 'low')
})

test('recall has no cut without positives', () => {
  const scale = createDescendingScale(500)
  const hits = scale.map(() => 0)
  const cut = findCut({ figure: 'recall', value: 0.95, scale, hits })
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
    const cut = findCut({ figure: 'coverage', value: target, scale, hits: createOnes(5) })
    const acceptedShare = acceptedRows / scale.length
    assert.equal(cut, { threshold, acceptedRows, acceptedShare, lowerBound: acceptedShare })
  })

/** The weights of 100 rows. The 30 surest were drawn with a probability of 1/30, the others with certainty. */
const sureWeights = createDescendingScale(100).map((_, i) => (i < 30 ? 30 : 1))

test('candidates divide the weight of the rows into tenths', () => {
  const candidateCount = 10
  const scale = createDescendingScale(100)
  const list = listAcceptedRows(candidateCount, scale, createOnes(100), sureWeights)
  // A tenth of the weight of 970 is 97. Four rows of weight 30 reach it, and three do not.
  assert.equal(
    list.map(({ rowCount }) => rowCount),
    [4, 7, 10, 13, 17, 20, 23, 26, 30, 100],
  )
})

test('finds a cut among few rows that have most of the weight', () => {
  const hits = sureWeights.map((_, i) => (i < 30 ? 1 : 0))
  const scale = createDescendingScale(100)
  const cut = findCut({ figure: 'accuracy', value: 0.9, scale, hits, weights: sureWeights })
  assert.is(cut.acceptedRows, 30)
  assert.is(cut.acceptedShare, 900 / 970)
})

/** Finds the growth of a sample of 100 rows, in which every 16th row is wrong, for an accuracy of the surest rows. */
const findGrowth = (value: number, wrongRows: (i: number) => boolean, minMoreRows?: number) => {
  const scale = createDescendingScale(100)
  const sample = {
    scale,
    hits: Float64Array.from({ length: 100 }, (_, i) => (wrongRows(i) ? 0 : 1)),
    weights: createOnes(100),
    units: createRowUnits(100),
  }
  const tests = testCandidates({ figure: 'accuracy', value }, 0.95, sample)
  return findSampleGrowth(tests, 100, minMoreRows)
}

test('finds the further labels with which sure rows pass', () => {
  // The surest 50 rows are right. A proof of 0.95 takes 59 rows, and so 118 rows of which half are as sure.
  const growth = findGrowth(0.95, (i) => i >= 50 && i % 4 === 0)
  assert.is(growth?.moreRows, 18)
  assert.is(growth?.candidate.accepted.rowCount, 50)
})

test('finds no further labels if no candidate is right often enough', () => {
  assert.is(
    findGrowth(0.95, (i) => i % 8 === 0),
    undefined,
  )
})

test('begins with the labels that any cut takes', () => {
  assert.is(findGrowth(0.95, (i) => i >= 50 && i % 4 === 0, 40)?.moreRows, 40)
})

test('rows of different weights are less evidence than rows of equal weight', () => {
  const scale = createDescendingScale(40)
  const differentWeights = scale.map((_, i) => (i % 2 === 0 ? 9 : 1))
  const cutCase = { figure: 'precision', value: 0.9, scale, hits: createOnes(40) } as const
  assert.is(findCut(cutCase).acceptedRows, 40)
  // The effective size is 200² / (20 · 81 + 20) = 24.4 rows, and a proof of 0.9 takes 29.
  assert.is(findCut({ ...cutCase, weights: differentWeights }).threshold, null)
})

test.run()
