import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { incompleteBeta } from '../../../lib/measure/statistics/beta'
import { bootstrapIntervals, countDraws } from '../../../lib/measure/statistics/bootstrap'
import { findBin } from '../../../lib/measure/statistics/calibration'
import {
  countConfusions,
  measureClasses,
  quadraticKappa,
} from '../../../lib/measure/statistics/classification'
import { clopperPearsonLower, wilsonInterval } from '../../../lib/measure/statistics/intervals'
import { logLosses, logLossesOfAll } from '../../../lib/measure/statistics/losses'
import {
  computeEffectiveSize,
  findLargest,
  type Numbers,
  pickTableRows,
} from '../../../lib/measure/statistics/numbers'
import { averagePrecision, rankRows, rocAuc } from '../../../lib/measure/statistics/ranking'
import {
  listAcceptedRows,
  measureThreshold,
  riskCoverage,
  sweepThresholds,
} from '../../../lib/measure/statistics/thresholds'
import { createRowUnits } from '../../../lib/measure/statistics/units'
import { clipProbability } from '../../../lib/runs/policy/calibration-map'
import { createRandom, shuffleNumbers } from '../../../lib/runtime/random'
import { createOnes } from './tables'
import { assertNear } from './vectors'

const test = suite('figures of statistics')

test("Kish's effective size is the number of rows if all weights are equal, and else smaller", () => {
  assert.is(computeEffectiveSize(createOnes(7)), 7)
  assert.is(computeEffectiveSize([3, 3]), 2)
  // (1 + 1 + 2)² / (1 + 1 + 4)
  assert.is(computeEffectiveSize([1, 1, 2]), 16 / 6)
  assert.is(computeEffectiveSize([]), 0)
})

test('a seed determines the random numbers', () => {
  const drawFive = (seed: number) => {
    const generator = createRandom(seed)
    return Array.from({ length: 5 }, () => generator.nextInt(1000))
  }
  assert.equal(drawFive(1), drawFive(1))
  assert.not.equal(drawFive(1), drawFive(2))
  assert.not.equal(drawFive(0), drawFive(-1))
})

test('shuffles the numbers below a limit', () => {
  const shuffled = [...shuffleNumbers(100, createRandom(3))]
  const ascending = Array.from({ length: 100 }, (_, i) => i)
  assert.not.equal(shuffled, ascending)
  assert.equal(
    shuffled.sort((a, b) => a - b),
    ascending,
  )
})

test('the incomplete beta function agrees with closed forms', () => {
  assertNear(incompleteBeta(0.3, 1, 1), 0.3, 'uniform distribution')
  assertNear(incompleteBeta(0.3, 4, 1), 0.3 ** 4, 'x⁴')
  assertNear(incompleteBeta(0.9, 1, 4), 1 - 0.1 ** 4, '1 − (1 − x)⁴')
  assertNear(incompleteBeta(0.5, 500_000, 500_000), 0.5, 'symmetric distribution', 1e-7)
  assert.is(incompleteBeta(0, 2, 3), 0)
  assert.is(incompleteBeta(1, 2, 3), 1)
})

test('bounds of an effective size between two whole numbers are between their bounds', () => {
  const computeBound = (n: number) => clopperPearsonLower(0.9 * n, n, 0.95)
  assert.ok(computeBound(40) < computeBound(40.5) && computeBound(40.5) < computeBound(41))
  assert.ok(wilsonInterval(0.9, 40).low < wilsonInterval(0.9, 40.5).low)
})

test("Wilson's interval of a share of 0 begins at 0, and of a share of 1 ends at 1", () => {
  assert.is(wilsonInterval(0, 5).low, 0)
  assert.is(wilsonInterval(1, 5).high, 1)
})

test('log losses are of probabilities clipped to 0.005 and 0.995', () => {
  assert.is(clipProbability(0), 0.005)
  assert.is(clipProbability(1), 0.995)
  assertNear(logLosses([1], [0])[0], -Math.log(0.005), 'wrong')
  assertNear(logLosses([1], [1])[0], -Math.log(0.995), 'right')
})

test('log losses of several labels are clipped only below', () => {
  const table = { values: [0, 1, 0], columns: 3 }
  assertNear(logLossesOfAll(table, [1])[0], 0, 'right')
  assertNear(logLossesOfAll(table, [0])[0], -Math.log(0.005), 'wrong')
})

test('bins include their upper edges, which are the doubles k·0.1', () => {
  // 3 · 0.1 is 0.30000000000000004, so 0.3 and 3 · 0.1 are different doubles in one bin.
  assert.equal(
    [0, 0.05, 0.1, 0.3, 3 * 0.1, 0.6, 0.7, 0.71, 0.99, 1].map(findBin),
    [0, 0, 0, 2, 2, 5, 6, 7, 9, 9],
  )
})

test('a class that never occurs and is never decided has no precision or recall, and an F1 of 0', () => {
  const [, , third] = measureClasses(countConfusions([0, 1], [0, 1], 3))
  assert.equal(third, { precision: null, recall: null, f1: 0, support: 0 })
})

test('figures that are undefined for the rows are null', () => {
  assert.is(rocAuc(rankRows([0.1, 0.2], [1, 1]), createOnes(2)), null, 'without negatives')
  assert.is(averagePrecision(rankRows([0.1], [0]), createOnes(1)), null, 'without positives')
  assert.is(quadraticKappa(countConfusions([1, 1], [1, 1], 2)), null, 'one level')
  const { precision, recall, f1 } = measureThreshold(0.9, [0.1], [1], createOnes(1))
  assert.is(precision, null, 'nothing is accepted')
  assert.is(recall, 0)
  assert.is(f1, null)
})

test('sweeps the thresholds 0, 0.05, … 1', () => {
  const points = sweepThresholds([0.2, 0.5, 1], [0, 1, 1], createOnes(3))
  const thresholds = points.map(({ at }) => at)
  assert.is(points.length, 21)
  assert.equal(thresholds.slice(0, 4), [0, 0.05, 0.1, 0.15])
  assert.equal(points.at(-1), {
    at: 1,
    precision: 1,
    recall: 0.5,
    f1: 2 / 3,
    accuracy: 2 / 3,
    accepted: 1,
  })
})

test('thresholds accept equal values together, and list each set of rows once', () => {
  const maxThresholds = 10
  const scale = [0.9, 0.9, 0.9, 0.5, 0.5, 0.4]
  const hits = [1, 1, 0, 1, 0, 0]
  const list = listAcceptedRows(maxThresholds, scale, hits, createOnes(6))
  assert.equal(
    list.map(({ threshold, rowCount, hitWeight }) => [threshold, rowCount, hitWeight]),
    [
      [0.9, 3, 2],
      [0.5, 5, 3],
      [0.4, 6, 3],
    ],
  )
  assert.equal(listAcceptedRows(maxThresholds, [], [], []), [])
})

test('the risk–coverage curve of 1,000 rows has 100 points, and ends with all rows', () => {
  const scale = Float64Array.from({ length: 1000 }, (_, i) => i / 1000)
  // Rows from 0.5 on are right, the others wrong.
  const points = riskCoverage(scale, scale.map(Math.round), createOnes(1000))
  assert.is(points.length, 100)
  assert.equal(points[0], { at: 0.99, coverage: 0.01, risk: 0 })
  assert.equal(points.at(-1), { at: 0, coverage: 1, risk: 0.5 })
})

test('the bootstrap gives no interval if the figure is null or equal in all draws', () => {
  // A draw of two rows has both classes and an AUC of 1, or only one class and no AUC.
  const ranking = rankRows([0.2, 0.9], [0, 1])
  const measure = (weights: Numbers) => ({ auc: rocAuc(ranking, weights), alwaysNull: null })
  const plan = {
    weights: createOnes(2),
    units: createRowUnits(2),
    draws: 50,
    random: createRandom(1),
  }
  assert.equal(bootstrapIntervals(measure, plan), {})
})

test('the bootstrap makes fewer draws above 20,000 rows', () => {
  assert.is(countDraws(20_000), 1000)
  assert.is(countDraws(20_001), 200)
})

test('picks whole rows of a table', () => {
  const table = { values: [1, 2, 3, 4, 5, 6], columns: 2 }
  assert.equal(Array.from(pickTableRows(table, [2, 0]).values), [5, 6, 1, 2])
})

test('finds the largest of more numbers than fit in the arguments of a function', () => {
  const numbers = Float64Array.from({ length: 300_000 }, (_, i) => i)
  assert.is(findLargest(numbers), 299_999)
  assert.is(findLargest(numbers.reverse()), 299_999)
  assert.is(findLargest([]), Number.NEGATIVE_INFINITY)
})

test.run()
