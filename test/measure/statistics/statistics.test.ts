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
) =>
  choose(target, confidence, {
    scale,
    right,
    weights,
    units: createRowUnits(scale.length),
    designEffect: 1,
  })

const random = createRandom(7)
const p = Float64Array.from({ length: 60 }, () => Math.round(random.unit() * 100) / 100)
const truth = p.map((one) => (random.unit() < one ? 1 : 0))
const times = p.map(() => random.below(3))
const again = Float64Array.from([...times].flatMap((count, i) => Array(count).fill(i)))
const [rp, rt] = [pick(p, again), pick(truth, again)]
const each = ones(again.length)

/** A figure of weighted rows, and of the rows written out as often as they weigh. */
const figures: Readonly<Record<string, (p: Numbers, y: Numbers, w: Numbers) => number | null>> = {
  brier: (p, y, w) => mean(brierLosses(p, y), w),
  'log loss': (p, y, w) => mean(logLosses(p, y), w),
  auc: (p, y, w) => rocAuc(rankRows(p, y), w),
  'average precision': (p, y, w) => averagePrecision(rankRows(p, y), w),
  ece,
  'bin of 0.4': (p, y, w) =>
    calibrationCurve(p, y, w, 1).find(({ lower }) => lower === 0.4)?.prob_pred ?? null,
  'macro F1': (p, y, w) => macroF1(countConfusions(y, Array.from(p, Math.round), 2, w)),
  kappa: (p, y, w) => quadraticKappa(countConfusions(y, Array.from(p, Math.round), 2, w)),
  precision: (p, y, w) => measureThreshold(0.5, p, y, w).precision,
  f1: (p, y, w) => measureThreshold(0.5, p, y, w).f1,
  'accuracy at 0.5': (p, y, w) => measureThreshold(0.5, p, y, w).accuracy,
  'risk of all': (p, y, w) => riskCoverage(p, y, w).at(-1)?.risk ?? null,
  temperature: (p, y, weights) => {
    const values = Array.from(p).flatMap((one) => [1 - one, one])
    const map = fitMap('temperature', {
      yesNo: false,
      table: { values, columns: 2 },
      truth: y,
      weights,
    })
    return map.method === 'temperature' ? map.temperature : null
  },
  slope: (p, y, weights) => {
    const map = fitMap('platt', { yesNo: true, table: createYesTable(p), truth: y, weights })
    return map.method === 'platt' ? map.slope : null
  },
}

for (const [name, figure] of Object.entries(figures))
  test(`${name}: a weight of n is the same as n rows`, () => {
    assertNear(figure(p, truth, times), figure(rp, rt, each), name, 1e-7)
  })

test('Platt is no surer than its rows where they are told apart without error', () => {
  const p = Array.from({ length: 40 }, (_, i) => (i < 20 ? 0.3 : 0.6))
  for (const truth of [p.map((one) => (one > 0.5 ? 1 : 0)), p.map(() => 1)]) {
    const map = fitMap('platt', { yesNo: true, table: createYesTable(p), truth, weights: ones(40) })
    const [low = 0, high = 0] = Array.from(applyMap(map, createYesTable([0.3, 0.6])).values)
    assertNear(high, truth.includes(0) ? 21 / 22 : 41 / 42, 'the likelier', 1e-6)
    assertNear(low, truth.includes(0) ? 1 / 22 : 41 / 42, 'the other', 1e-6)
  }
})

test("Kish's effective size", () => {
  assert.is(effectiveSize(ones(7)), 7)
  assert.is(effectiveSize([3, 3]), 2)
  assert.is(effectiveSize([1, 1, 2]), 16 / 6)
  assert.is(effectiveSize([]), 0)
})

test('the random generator', () => {
  const list = (seed: number) => {
    const generator = createRandom(seed)
    return Array.from({ length: 5 }, () => generator.below(1000))
  }
  assert.equal(list(1), list(1))
  assert.not.equal(list(1), list(2))
  assert.not.equal(list(0), list(-1))
  const order = shuffleNumbers(100, createRandom(3))
  assert.not.equal(
    [...order],
    [...order].sort((a, b) => a - b),
  )
  assert.equal(
    [...order].sort((a, b) => a - b),
    [...Array(100).keys()],
  )
})

test('the incomplete beta function where it is known', () => {
  assertNear(incompleteBeta(0.3, 1, 1), 0.3, 'uniform')
  assertNear(incompleteBeta(0.3, 4, 1), 0.3 ** 4, 'a power')
  assertNear(incompleteBeta(0.9, 1, 4), 1 - 0.1 ** 4, 'a power from above')
  assertNear(incompleteBeta(0.5, 500_000, 500_000), 0.5, 'half of many', 1e-7)
  assert.is(incompleteBeta(0, 2, 3), 0)
  assert.is(incompleteBeta(1, 2, 3), 1)
})

test('intervals of effective sizes that are not whole lie between those of their neighbours', () => {
  const at = (n: number) => clopperPearsonLower(0.9 * n, n, 0.95)
  assert.ok(at(40) < at(40.5) && at(40.5) < at(41))
  assert.ok(wilson(0.9, 40).low < wilson(0.9, 40.5).low)
  assert.equal(wilson(0, 5).low, 0)
  assert.equal(wilson(1, 5).high, 1)
})

test('the clip of log loss', () => {
  assert.is(clipProbability(0), 0.005)
  assert.is(clipProbability(1), 0.995)
  assertNear(logLosses([1], [0])[0], -Math.log(0.005), 'surely wrong')
  assertNear(logLosses([1], [1])[0], -Math.log(0.995), 'surely right')
  // The vectors are clipped below only.
  assertNear(logLossesOfAll({ values: [0, 1, 0], columns: 3 }, [1])[0], 0, 'surely right of three')
  assertNear(
    logLossesOfAll({ values: [0, 1, 0], columns: 3 }, [0])[0],
    -Math.log(0.005),
    'surely wrong of three',
  )
})

test('bins are closed above, the first one also below, and their edges are the doubles k·0.1', () => {
  // 3 · 0.1 is 0.30000000000000004, so that 0.3 and that double are in the same bin.
  assert.equal(
    [0, 0.05, 0.1, 0.3, 3 * 0.1, 0.6, 0.7, 0.71, 0.99, 1].map(binOf),
    [0, 0, 0, 2, 2, 5, 6, 7, 9, 9],
  )
})

test('a class that never occurs and is never decided has no precision or recall, and an F1 of 0', () => {
  const [, , third] = measureClasses(countConfusions([0, 1], [0, 1], 3, ones(2)))
  assert.equal(third, { precision: null, recall: null, f1: 0, support: 0 })
})

test('undefined figures are null', () => {
  const allTrue = rankRows([0.1, 0.2], [1, 1])
  assert.is(rocAuc(allTrue, ones(2)), null)
  assert.is(averagePrecision(rankRows([0.1], [0]), ones(1)), null)
  assert.is(quadraticKappa(countConfusions([1, 1], [1, 1], 2, ones(2))), null)
  const { precision, recall, f1 } = measureThreshold(0.9, [0.1], [1], ones(1))
  assert.equal([precision, recall, f1], [null, 0, null])
})

test('the sweep', () => {
  const points = sweepThresholds([0.2, 0.5, 1], [0, 1, 1], ones(3))
  assert.is(points.length, 21)
  assert.equal(points.map(({ at }) => at).slice(0, 4), [0, 0.05, 0.1, 0.15])
  assert.equal(points.at(-1), {
    at: 1,
    precision: 1,
    recall: 0.5,
    f1: 2 / 3,
    accuracy: 2 / 3,
    accepted: 1,
  })
})

test('candidates accept ties together and list each set of rows once', () => {
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

test('risk and coverage end at all rows', () => {
  const scale = Float64Array.from({ length: 1000 }, (_, i) => i / 1000)
  const points = riskCoverage(scale, scale.map(Math.round), ones(1000))
  assert.is(points.length, 100)
  assert.equal(points[0], { at: 0.99, coverage: 0.01, risk: 0 })
  assert.equal(points.at(-1), { at: 0, coverage: 1, risk: 0.5 })
})

test('rows that a target needs', () => {
  assert.equal(
    [0.9, 0.95, 0.98, 0.99].map((target) => computeNeededRows(target, 0.95)),
    [29, 59, 149, 299],
  )
  assert.is(computeNeededRows(0.5, 0.5), 1)
})

test('a cut is the last candidate of the sequence that passes', () => {
  const scale = Float64Array.from({ length: 1000 }, (_, i) => 1 - i / 1000)
  const right = scale.map((value) => (value > 0.55 ? 1 : 0))
  const cut = chooseCut({ figure: 'precision', value: 0.9 }, 0.95, scale, right, ones(1000))
  assert.is(cut.at, scale[399])
  assert.is(cut.n, 400)
  assert.is(cut.needs, 29)
  assertNear(cut.low, clopperPearsonLower(400, 400, 0.95), 'low')
})

test('skips candidates with too few rows, and stops at the first one that fails', () => {
  const scale = Float64Array.from({ length: 200 }, (_, i) => 1 - i / 200)
  const wrongFirst = scale.map((_, i) => (i < 5 ? 0 : 1))
  const target = { figure: 'accuracy', value: 0.9 } as const
  // With 29 needed, candidates of fewer than a quarter of 200 rows are passed over; that of 60 fails.
  const cut = chooseCut(target, 0.95, scale, wrongFirst, ones(200))
  assert.is(cut.at, null)
  assert.is(cut.n, 0)
  assert.match(
    cut.why ?? '',
    /0.917 of 60 accepted rows are right; the lower bound of accuracy is 0\.8\d+/,
  )
})

test('too few rows for a target give no cut and a reason', () => {
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

test('recall is tested over the positives, loosest first', () => {
  const scale = Float64Array.from({ length: 500 }, (_, i) => 1 - i / 500)
  const right = scale.map((value) => (value > 0.5 ? 1 : 0))
  const cut = chooseCut({ figure: 'recall', value: 0.95 }, 0.95, scale, right, ones(500))
  assert.is(cut.at, scale[249])
  assertNear(cut.low, clopperPearsonLower(250, 250, 0.95), 'low')
  const none = chooseCut(
    { figure: 'recall', value: 0.95 },
    0.95,
    scale,
    right.map(() => 0),
    ones(500),
  )
  assert.is(none.why, 'a proof of recall 0.95 takes 59 rows, and there are 0')
})

test('coverage takes the strictest cut that reaches it', () => {
  const scale = [0.9, 0.8, 0.8, 0.7, 0.6]
  const at = (value: number) =>
    chooseCut({ figure: 'coverage', value }, 0.95, scale, scale, ones(5))
  assert.equal(at(0.2), { at: 0.9, n: 1, share: 0.2, low: 0.2 })
  assert.equal(at(0.3), { at: 0.8, n: 3, share: 0.6, low: 0.6 })
  assert.equal(at(0.6), { at: 0.8, n: 3, share: 0.6, low: 0.6 })
  assert.equal(at(1), { at: 0.6, n: 5, share: 1, low: 1 })
})

test('candidates are tenths of the weight, so that few heavy rows at the end do not hide a cut', () => {
  // Of 100 rows the 70 least certain ones were all drawn, the 30 surest with a chance of 1 in 30.
  const scale = Float64Array.from({ length: 100 }, (_, i) => 1 - i / 100)
  const weights = scale.map((_, i) => (i < 30 ? 30 : 1))
  const list = listAcceptedRows(10, scale, ones(100), weights)
  assert.equal(
    list.map(({ rows }) => rows),
    [4, 7, 10, 13, 17, 20, 23, 26, 30, 100],
  )
  const right = scale.map((_, i) => (i < 30 ? 1 : 0))
  const cut = chooseCut({ figure: 'accuracy', value: 0.9 }, 0.95, scale, right, weights)
  assert.equal([cut.n, cut.share], [30, 900 / 970])
})

test('counts the labels that a cut still needs, or estimates them from the existing ones', () => {
  const scale = Float64Array.from({ length: 100 }, (_, i) => 1 - i / 100)
  const right = scale.map((_, i) => (i % 16 === 0 ? 0 : 1))
  const missing = (value: number) =>
    chooseCut({ figure: 'accuracy', value }, 0.95, scale, right, ones(100)).missing
  assert.is(missing(0.8), undefined)
  assert.is(missing(0.9)?.what, 'estimate')
  assert.equal(missing(0.95), undefined)
  assert.equal(missing(0.99), { what: 'rows', count: 199 })
})

test('weighted rows need more of them for the same evidence', () => {
  const scale = Float64Array.from({ length: 40 }, (_, i) => 1 - i / 40)
  const target = { figure: 'precision', value: 0.9 } as const
  const even = chooseCut(target, 0.95, scale, ones(40), ones(40))
  assert.is(even.n, 40)
  const uneven = chooseCut(
    target,
    0.95,
    scale,
    ones(40),
    scale.map((_, i) => (i % 2 ? 1 : 9)),
  )
  assert.is(uneven.at, null)
})

test('folds keep groups together and are of even size', () => {
  const unitOf = Uint32Array.from({ length: 90 }, (_, i) => i / 3)
  const folds = assignFolds(createGroupUnits(unitOf), createRandom(1))
  for (let i = 0; i < 90; i++) assert.is(folds[i], folds[i - (i % 3)])
  for (let fold = 0; fold < 5; fold++) assert.is(folds.filter((one) => one === fold).length, 18)
})

test('fits end if a threshold separates the classes, and if all values are equal', () => {
  const cases: ReadonlyArray<readonly [Numbers, Numbers]> = [
    [
      [0.1, 0.2, 0.8, 0.9],
      [0, 0, 1, 1],
    ],
    [
      [0.1, 0.2, 0.8, 0.9],
      [1, 1, 0, 0],
    ],
    [
      [0.5, 0.5, 0.5],
      [1, 1, 0],
    ],
    [
      [1, 1],
      [1, 1],
    ],
    [
      [0, 1],
      [1, 0],
    ],
  ]
  for (const [said, came] of cases) {
    const map = fitMap('platt', {
      yesNo: true,
      table: createYesTable(said),
      truth: came,
      weights: ones(said.length),
    })
    for (const value of Array.from(applyMap(map, createYesTable([0, 0.3, 1])).values))
      assert.ok(value >= 0 && value <= 1, `${said}: ${value}`)
  }
})

test('Platt corrects a source that always says the same', () => {
  const map = fitMap('platt', {
    yesNo: true,
    table: createYesTable([0.9, 0.9, 0.9, 0.9]),
    truth: [1, 0, 0, 0],
    weights: ones(4),
  })
  assertNear(applyMap(map, createYesTable([0.9])).values[0], 0.25, 'the share of yes', 1e-6)
})

test('the coldest temperature leaves the likeliest label, and no NaN', () => {
  const coldest = { method: 'temperature', temperature: 1e-320 } as const
  const { values } = applyMap(coldest, { values: [0.7, 0.2, 0.1], columns: 3 })
  assert.equal([...Array.from(values)], [1, 0, 0])
})

test('a temperature keeps the order of labels and the sum of a row', () => {
  const table = { values: [0.7, 0.2, 0.1, 0, 0, 1], columns: 3 }
  const { values } = applyMap({ method: 'temperature', temperature: 2 }, table)
  const rows = [0, 1].map((row) => Array.from(values).slice(row * 3, row * 3 + 3))
  for (const row of rows)
    assertNear(
      row.reduce((a, b) => a + b),
      1,
      'sum',
    )
  const [a, b, c] = rows[0] as [number, number, number]
  assert.ok(a > b && b > c && a < 0.7)
})

test('the bootstrap skips draws without the figure, and gives no interval if draws do not vary', () => {
  const ranking = rankRows([0.2, 0.9], [0, 1])
  const run = (seed: number) =>
    bootstrap((weights) => ({ auc: rocAuc(ranking, weights), never: null }), {
      weights: ones(2),
      units: createRowUnits(2),
      draws: 50,
      random: createRandom(seed),
    })
  assert.equal(run(1), {})
  assert.is(countDraws(20_000), 1000)
  assert.is(countDraws(20_001), 200)
})

test('rows of a table are picked whole', () => {
  const table = { values: [1, 2, 3, 4, 5, 6], columns: 2 }
  assert.equal([...Array.from(pickTableRows(table, [2, 0]).values)], [5, 6, 1, 2])
})

test('the largest of more numbers than a function takes', () => {
  const numbers = Float64Array.from({ length: 300_000 }, (_, index) => -index)
  assert.is(findLargest(numbers), 0)
  assert.is(findLargest(Array.from(numbers, (x) => x * -1)), 299_999)
  assert.is(findLargest([]), Number.NEGATIVE_INFINITY)
})

test('the correlation of rows in groups is the ANOVA estimate', () => {
  // Two groups of two: within one both are right, within the other one is. B = 1/4, W = 1/4, m0 = 2.
  const two = createGroupUnits([0, 0, 1, 1])
  assertNear(measureSpread([1, 1, 1, 0], two, undefined).correlation, 0, 'alike by chance')
  // B = 1, W = 0.
  assertNear(measureSpread([1, 1, 0, 0], two, undefined).correlation, 1, 'copies')
  // Groups of 3, 2 and 1 with 2, 0 and 1 right: B = 5/12, W = 2/9, m0 = 11/6.
  const three = createGroupUnits([0, 0, 0, 1, 1, 2])
  const spread = measureSpread([1, 1, 0, 0, 0, 1], three, undefined)
  assertNear(
    spread.correlation,
    (5 / 12 - 2 / 9) / (5 / 12 + (5 / 6) * (2 / 9)),
    'of uneven groups',
  )
  assertNear(
    computeDesignEffect(spread),
    1 + (14 / 6 - 1) * (spread.correlation ?? 0),
    'their design effect',
  )
  assert.is(measureSpread([1, 1, 1, 1], two, undefined).correlation, undefined)
  assert.is(computeDesignEffect(measureSpread([1, 1, 1, 1], two, undefined)), 2)
  assert.is(computeDesignEffect(measureSpread([1, 1, 1, 1], two, undefined), 0.5), 1.5)
})

test.run()
