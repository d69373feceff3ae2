import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { incompleteBeta } from '../../../lib/measure/statistics/beta'
import { bootstrap, countDraws } from '../../../lib/measure/statistics/bootstrap'
import { binOf, calibrationCurve, ece } from '../../../lib/measure/statistics/calibration'
import {
  countConfusions,
  macroF1,
  measureClasses,
  quadraticKappa,
} from '../../../lib/measure/statistics/classification'
import { computeNeededRows } from '../../../lib/measure/statistics/cut-evidence'
import { type CutTarget, chooseCut as choose } from '../../../lib/measure/statistics/cuts'
import { assignFolds } from '../../../lib/measure/statistics/fits/choose'
import { applyMap, fitMap } from '../../../lib/measure/statistics/fits/map'
import { clopperPearsonLower, wilson } from '../../../lib/measure/statistics/intervals'
import { brierLosses, logLosses, logLossesOfAll } from '../../../lib/measure/statistics/losses'
import {
  effectiveSize,
  findLargest,
  mean,
  type Numbers,
  ones,
  pick,
  pickTableRows,
} from '../../../lib/measure/statistics/numbers'
import { averagePrecision, rankRows, rocAuc } from '../../../lib/measure/statistics/ranking'
import {
  listAcceptedRows,
  measureThreshold,
  riskCoverage,
  sweepThresholds,
} from '../../../lib/measure/statistics/thresholds'
import {
  computeDesignEffect,
  createGroupUnits,
  createRowUnits,
  measureSpread,
  type Units,
} from '../../../lib/measure/statistics/units'
import { clipProbability } from '../../../lib/runs/policy/calibration-map'
import { createRandom, shuffleNumbers } from '../../../lib/runtime/random'
import { assertNear, createYesTable } from './vectors'

const test = suite('statistics')

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

const random = createRandom(7)
const p = Float64Array.from({ length: 60 }, () => Math.round(random.nextFloat() * 100) / 100)
const truth = p.map((value) => (random.nextFloat() < value ? 1 : 0))
/** Whole weights of the rows, 0 to 2. */
const weights = p.map(() => random.nextInt(3))
/** The indexes of the rows, each as often as its weight says. */
const repeatedIndexes = [...weights].flatMap((weight, i) => Array<number>(weight).fill(i))

type ComputeFigure = (p: Numbers, truth: Numbers, weights: Numbers) => number | null

/** Rounds probabilities of a yes to decisions: 1 for yes, 0 for no. */
const decide = (p: Numbers): Numbers => Array.from(p, Math.round)

const figures: Readonly<Record<string, ComputeFigure>> = {
  brier: (p, truth, weights) => mean(brierLosses(p, truth), weights),
  'log loss': (p, truth, weights) => mean(logLosses(p, truth), weights),
  auc: (p, truth, weights) => rocAuc(rankRows(p, truth), weights),
  'average precision': (p, truth, weights) => averagePrecision(rankRows(p, truth), weights),
  ece,
  'mean probability of a bin': (p, truth, weights) =>
    calibrationCurve(p, truth, weights, 1).find(({ lower }) => lower === 0.4)?.prob_pred ?? null,
  'macro F1': (p, truth, weights) => macroF1(countConfusions(truth, decide(p), 2, weights)),
  kappa: (p, truth, weights) => quadraticKappa(countConfusions(truth, decide(p), 2, weights)),
  precision: (p, truth, weights) => measureThreshold(0.5, p, truth, weights).precision,
  F1: (p, truth, weights) => measureThreshold(0.5, p, truth, weights).f1,
  accuracy: (p, truth, weights) => measureThreshold(0.5, p, truth, weights).accuracy,
  'risk at full coverage': (p, truth, weights) =>
    riskCoverage(p, truth, weights).at(-1)?.risk ?? null,
  temperature: (p, truth, weights) => {
    const table = { values: Array.from(p).flatMap((yes) => [1 - yes, yes]), columns: 2 }
    const map = fitMap('temperature', { yesNo: false, table, truth, weights })
    return map.method === 'temperature' ? map.temperature : null
  },
  'slope of the Platt map': (p, truth, weights) => {
    const map = fitMap('platt', { yesNo: true, table: createYesTable(p), truth, weights })
    return map.method === 'platt' ? map.slope : null
  },
}

for (const [name, computeFigure] of Object.entries(figures))
  test(`${name}: a row of weight n counts like n rows`, () => {
    const repeatedP = pick(p, repeatedIndexes)
    const repeatedTruth = pick(truth, repeatedIndexes)
    const unweighted = computeFigure(repeatedP, repeatedTruth, ones(repeatedIndexes.length))
    assertNear(computeFigure(p, truth, weights), unweighted, name, 1e-7)
  })

/** Fits a Platt map to rows of equal weight, and corrects probabilities by it. */
const correctByPlatt = (
  p: ReadonlyArray<number>,
  truth: Numbers,
  probabilities: ReadonlyArray<number>,
): ReadonlyArray<number> => {
  const rows = { yesNo: true, table: createYesTable(p), truth, weights: ones(p.length) }
  return Array.from(applyMap(fitMap('platt', rows), createYesTable(probabilities)).values)
}

test('Platt uses smoothed targets if a threshold separates the classes', () => {
  const p = Array.from({ length: 40 }, (_, i) => (i < 20 ? 0.3 : 0.6))
  const separated = p.map((value) => (value > 0.5 ? 1 : 0))
  const [low, high] = correctByPlatt(p, separated, [0.3, 0.6])
  assertNear(low, 1 / 22, 'low', 1e-6)
  assertNear(high, 21 / 22, 'high', 1e-6)
})

test('Platt uses smoothed targets if all rows are of one class', () => {
  const p = Array.from({ length: 40 }, (_, i) => (i < 20 ? 0.3 : 0.6))
  const [low, high] = correctByPlatt(p, ones(40), [0.3, 0.6])
  assertNear(low, 41 / 42, 'low', 1e-6)
  assertNear(high, 41 / 42, 'high', 1e-6)
})

test("Kish's effective size is the number of rows if all weights are equal, and else smaller", () => {
  assert.is(effectiveSize(ones(7)), 7)
  assert.is(effectiveSize([3, 3]), 2)
  assert.is(effectiveSize([1, 1, 2]), 16 / 6)
  assert.is(effectiveSize([]), 0)
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
  assert.ok(wilson(0.9, 40).low < wilson(0.9, 40.5).low)
})

test("Wilson's interval of a share of 0 begins at 0, and of a share of 1 ends at 1", () => {
  assert.is(wilson(0, 5).low, 0)
  assert.is(wilson(1, 5).high, 1)
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
    [0, 0.05, 0.1, 0.3, 3 * 0.1, 0.6, 0.7, 0.71, 0.99, 1].map(binOf),
    [0, 0, 0, 2, 2, 5, 6, 7, 9, 9],
  )
})

test('a class that never occurs and is never decided has no precision or recall, and an F1 of 0', () => {
  const [, , third] = measureClasses(countConfusions([0, 1], [0, 1], 3, ones(2)))
  assert.equal(third, { precision: null, recall: null, f1: 0, support: 0 })
})

test('figures that are undefined for the rows are null', () => {
  assert.is(rocAuc(rankRows([0.1, 0.2], [1, 1]), ones(2)), null, 'without negatives')
  assert.is(averagePrecision(rankRows([0.1], [0]), ones(1)), null, 'without positives')
  assert.is(quadraticKappa(countConfusions([1, 1], [1, 1], 2, ones(2))), null, 'one level')
  const { precision, recall, f1 } = measureThreshold(0.9, [0.1], [1], ones(1))
  assert.is(precision, null, 'nothing is accepted')
  assert.is(recall, 0)
  assert.is(f1, null)
})

test('sweeps the thresholds 0, 0.05, … 1', () => {
  const points = sweepThresholds([0.2, 0.5, 1], [0, 1, 1], ones(3))
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
  const scale = [0.9, 0.9, 0.9, 0.5, 0.5, 0.4]
  const list = listAcceptedRows(10, scale, [1, 1, 0, 1, 0, 0], ones(6))
  assert.equal(
    list.map(({ at, rows, right }) => [at, rows, right]),
    [
      [0.9, 3, 2],
      [0.5, 5, 3],
      [0.4, 6, 3],
    ],
  )
  assert.equal(listAcceptedRows(10, [], [], []), [])
})

test('the risk–coverage curve has 100 points, and ends with all rows', () => {
  const scale = Float64Array.from({ length: 1000 }, (_, i) => i / 1000)
  const points = riskCoverage(scale, scale.map(Math.round), ones(1000))
  assert.is(points.length, 100)
  assert.equal(points[0], { at: 0.99, coverage: 0.01, risk: 0 })
  assert.equal(points.at(-1), { at: 0, coverage: 1, risk: 0.5 })
})

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

test('folds have equal sizes, and do not divide groups', () => {
  const groupOfRow = Uint32Array.from({ length: 90 }, (_, i) => i / 3)
  const foldOf = assignFolds(createGroupUnits(groupOfRow), createRandom(1))
  for (let row = 0; row < 90; row++) assert.is(foldOf[row], foldOf[row - (row % 3)])
  for (let fold = 0; fold < 5; fold++)
    assert.is(foldOf.filter((value) => value === fold).length, 18)
})

const extremeRows: ReadonlyArray<readonly [title: string, p: number[], truth: number[]]> = [
  ['separated classes', [0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1]],
  ['separated classes in reverse', [0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0]],
  ['equal probabilities', [0.5, 0.5, 0.5], [1, 1, 0]],
  ['one class', [1, 1], [1, 1]],
  ['probabilities of 0 and 1 that are wrong', [0, 1], [1, 0]],
]

for (const [title, p, truth] of extremeRows)
  test(`Platt returns probabilities for ${title}`, () => {
    for (const corrected of correctByPlatt(p, truth, [0, 0.3, 1]))
      assert.ok(corrected >= 0 && corrected <= 1, `${corrected}`)
  })

test('Platt corrects a constant probability to the share of yes', () => {
  const [corrected] = correctByPlatt([0.9, 0.9, 0.9, 0.9], [1, 0, 0, 0], [0.9])
  assertNear(corrected, 0.25, 'the share of yes', 1e-6)
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

test('a temperature corrects probabilities of 0 and 1', () => {
  const table = { values: [0, 0, 1], columns: 3 }
  const { values } = applyMap({ method: 'temperature', temperature: 2 }, table)
  assertNear(
    Array.from(values).reduce((a, b) => a + b),
    1,
    'sum',
  )
})

test('the bootstrap gives no interval if the figure is null or equal in all draws', () => {
  const ranking = rankRows([0.2, 0.9], [0, 1])
  const measure = (weights: Numbers) => ({ auc: rocAuc(ranking, weights), undefined: null })
  const plan = { weights: ones(2), units: createRowUnits(2), draws: 50, random: createRandom(1) }
  assert.equal(bootstrap(measure, plan), {})
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
    assertNear(measureSpread(right, units, undefined).correlation, correlation, 'correlation')
  })

test('the correlation is undefined if all rows are right, and has a fallback then', () => {
  const spread = measureSpread([1, 1, 1, 1], twoGroups, undefined)
  assert.is(spread.correlation, undefined)
  assert.is(computeDesignEffect(spread), 2)
  assert.is(computeDesignEffect(spread, 0.5), 1.5)
})

test('the design effect is 1 + (m′ − 1)·ρ with m′ = Σm²/Σm', () => {
  const spread = measureSpread([1, 1, 0, 0, 0, 1], threeGroups, undefined)
  const designEffect = 1 + (14 / 6 - 1) * (spread.correlation ?? Number.NaN)
  assertNear(computeDesignEffect(spread), designEffect, 'design effect')
})

test.run()
