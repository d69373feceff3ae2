import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bootstrap } from '../../../lib/measure/statistics/bootstrap'
import { ece, simulatePerfectEce } from '../../../lib/measure/statistics/calibration'
import { type CutSample, chooseCut } from '../../../lib/measure/statistics/cuts'
import { assignFolds, chooseMethod } from '../../../lib/measure/statistics/fits/choose'
import { applyMap, fitMap } from '../../../lib/measure/statistics/fits/map'
import { wilson } from '../../../lib/measure/statistics/intervals'
import { brierLosses, logLosses } from '../../../lib/measure/statistics/losses'
import { mean, ones } from '../../../lib/measure/statistics/numbers'
import { rankRows, rocAuc } from '../../../lib/measure/statistics/ranking'
import {
  computeDesignEffect,
  createGroupUnits,
  createRowUnits,
  measureSpread,
  type Units,
} from '../../../lib/measure/statistics/units'
import type { Method } from '../../../lib/runs/policy/calibration-map'
import { createRandom, type Random } from '../../../lib/runtime/random'
import { createYesTable } from './vectors'

/** Checks the promises of the statistics on many random samples. */
const test = suite('statistics, simulated')

interface Rows {
  readonly p: Float64Array
  readonly truth: Float64Array
}

/** Rows that say p, uniform on [0, 1], and come true with the chance that `chance` gives. */
const rowsOf = (n: number, random: Random, chance = (p: number): number => p): Rows => {
  const p = Float64Array.from({ length: n }, random.unit)
  return { p, truth: p.map((one) => (random.unit() < chance(one) ? 1 : 0)) }
}

/** The same with every row `times` times. */
const repeated = ({ p, truth }: Rows, times: number): Rows => ({
  p: Float64Array.from({ length: p.length * times }, (_, i) => p[Math.floor(i / times)] as number),
  truth: Float64Array.from(
    { length: p.length * times },
    (_, i) => truth[Math.floor(i / times)] as number,
  ),
})

/** Rows that all weigh the same, without groups. */
const sampleOf = (scale: Float64Array, right: Float64Array): CutSample => ({
  scale,
  right,
  weights: ones(scale.length),
  units: createRowUnits(scale.length),
  designEffect: 1,
})

const shareOf = (times: number, holds: (draw: number) => boolean): number => {
  let count = 0
  for (let draw = 0; draw < times; draw++) if (holds(draw)) count++
  return count / times
}

/** Three standard errors above 5 % in 400 draws. */
const fivePercentAndNoise = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / 400)

/** The figure of a cut among this many rows of a calibrated source, and the true figure of a cut at `at`. */
const truths = {
  precision: (at: number) => (1 + at) / 2,
  recall: (at: number) => 1 - at ** 2,
  /** Of the surer of yes and no. */
  accuracy: (at: number) => (1 + at) / 2,
}
for (const [figure, value, n] of [
  ['precision', 0.75, 150],
  ['precision', 0.9, 1000],
  ['precision', 0.8, 400],
  ['recall', 0.9, 300],
  ['accuracy', 0.8, 150],
  ['accuracy', 0.9, 150],
  ['accuracy', 0.8, 1000],
  ['accuracy', 0.9, 1000],
] as const)
  test(`a cut for ${figure} ${value} from ${n} rows misses it in at most 5 % of samples`, () => {
    const random = createRandom(1)
    let found = 0
    const missed = shareOf(400, () => {
      const { p, truth } = rowsOf(n, random)
      const onTop = figure === 'accuracy'
      const scale = onTop ? p.map((one) => Math.max(one, 1 - one)) : p
      const right = onTop
        ? truth.map((one, i) => Number(one === Number((p[i] as number) >= 0.5)))
        : truth
      const { at } = chooseCut({ figure, value }, 0.95, sampleOf(scale, right))
      if (at === null) return false
      found++
      return truths[figure](at) < value
    })
    assert.ok(missed <= fivePercentAndNoise, `missed in ${missed}`)
    assert.ok(found > 10, `found ${found} cuts`)
  })

for (const [groups, size, correlation, value] of [
  [60, 8, 0.5, 0.9],
  [60, 8, 0.2, 0.9],
  [150, 4, 0.4, 0.9],
  [300, 3, 0.6, 0.8],
] as const)
  test(`a cut from ${groups} groups of ${size} rows, correlation ${correlation}, misses ${value} in at most 5 % of samples`, () => {
    const random = createRandom(8)
    const n = groups * size
    // Every cut misses the target by a hair.
    const chance = () => Number(random.unit() < value - 1e-9)
    const units = createGroupUnits(Uint32Array.from({ length: n }, (_, i) => i / size))
    const missed = shareOf(400, () => {
      const common = Float64Array.from({ length: groups }, chance)
      const right = Float64Array.from({ length: n }, (_, i) =>
        random.unit() < Math.sqrt(correlation)
          ? (common[Math.floor(i / size)] as number)
          : chance(),
      )
      const sample = { ...sampleOf(Float64Array.from(right, random.unit), right), units }
      return chooseCut({ figure: 'accuracy', value }, 0.95, sample).at !== null
    })
    assert.ok(missed <= fivePercentAndNoise, `missed in ${missed}`)
  })

test('the interval of an accuracy in groups holds the true value in at least 93 % of samples', () => {
  const random = createRandom(9)
  const units = createGroupUnits(Uint32Array.from({ length: 400 }, (_, i) => i / 10))
  const held = shareOf(400, () => {
    const chances = Float64Array.from({ length: 40 }, () => (random.unit() < 0.5 ? 0.6 : 1))
    const right = Float64Array.from({ length: 400 }, (_, i) =>
      Number(random.unit() < (chances[Math.floor(i / 10)] as number)),
    )
    const n = 400 / computeDesignEffect(measureSpread(right, units, undefined))
    const { low, high } = wilson(mean(right, ones(400)), n)
    return low <= 0.8 && 0.8 <= high
  })
  assert.ok(held >= 0.92, `held in ${held}`)
})

/**
 * Draws per interval. The program takes 1,000, which is a little more precise and contains the true value as often.
 */
const draws = 200

/** Counts the intervals that contain the figure's true value. */
const coverage = (
  samples: number,
  draw: (random: Random) => { readonly rows: Rows; readonly units: Units },
): { readonly brier: number; readonly auc: number } => {
  const random = createRandom(2)
  const covered = { brier: 0, auc: 0 }
  for (let sample = 0; sample < samples; sample++) {
    const { rows, units } = draw(random)
    const losses = brierLosses(rows.p, rows.truth)
    const ranking = rankRows(rows.p, rows.truth)
    const { brier, auc } = bootstrap(
      (weights) => ({ brier: mean(losses, weights), auc: rocAuc(ranking, weights) }),
      { weights: ones(losses.length), units, draws, random },
    )
    // Of a calibrated source that says p uniformly: E p(1 - p), and 2·∫∫ of the two densities.
    if (brier && brier.low <= 1 / 6 && 1 / 6 <= brier.high) covered.brier++
    if (auc && auc.low <= 5 / 6 && 5 / 6 <= auc.high) covered.auc++
  }
  return { brier: covered.brier / samples, auc: covered.auc / samples }
}

const between = (share: number, what: string): void =>
  assert.ok(share >= 0.93 && share <= 0.97, `${what}: ${share}`)

test('bootstrap intervals hold the true value in 93 to 97 % of samples', () => {
  const { brier, auc } = coverage(400, (random) => ({
    rows: rowsOf(200, random),
    units: createRowUnits(200),
  }))
  between(brier, 'brier_score')
  between(auc, 'roc_auc')
})

test('bootstrap intervals of groups hold the true value in 93 to 97 % of samples', () => {
  const units = createGroupUnits(Uint32Array.from({ length: 300 }, (_, i) => i / 2))
  const { brier, auc } = coverage(400, (random) => ({
    rows: repeated(rowsOf(150, random), 2),
    units,
  }))
  between(brier, 'brier_score')
  between(auc, 'roc_auc')
  const alone = coverage(100, (random) => ({
    rows: repeated(rowsOf(150, random), 2),
    units: createRowUnits(300),
  }))
  assert.ok(alone.brier < 0.88, `drawn by row: ${alone.brier}`)
})

const chosen = (rows: Rows, random: Random): Method => {
  const units = createRowUnits(rows.p.length)
  const labelled = {
    yesNo: true,
    table: createYesTable(rows.p),
    truth: rows.truth,
    weights: ones(rows.p.length),
  }
  return chooseMethod(labelled, units, assignFolds(units, random))
}

test('auto does not change a calibrated source', () => {
  const random = createRandom(3)
  const changed = shareOf(100, () => chosen(rowsOf(300, random), random) !== 'none')
  assert.ok(changed <= 0.05, `changed in ${changed}`)
})

test('auto helps a source of known temperature on rows that it has not seen', () => {
  const random = createRandom(4)
  // The answers give p, but the truth follows softmax(log p / 2.5).
  const cooled = (p: number): number => 1 / (1 + (1 / p - 1) ** (1 / 2.5))
  const fresh = rowsOf(20_000, random, cooled)
  const before = mean(logLosses(fresh.p, fresh.truth), ones(20_000))
  const helped = shareOf(40, () => {
    const rows = rowsOf(400, random, cooled)
    const method = chosen(rows, random)
    const table = createYesTable(rows.p)
    const map = fitMap(method, { yesNo: true, table, truth: rows.truth, weights: ones(400) })
    const after = applyMap(map, createYesTable(fresh.p)).values
    return method !== 'none' && mean(logLosses(after, fresh.truth), ones(20_000)) < before - 0.02
  })
  assert.ok(helped >= 0.95, `helped in ${helped}`)
})

test('weighting by 1/p undoes a sample drawn mostly from uncertain rows', () => {
  const random = createRandom(5)
  const all = rowsOf(50_000, random)
  const taken = [...all.p.keys()].flatMap((i) => {
    const chance = Math.abs(2 * (all.p[i] as number) - 1) < 0.3 ? 1 : 0.1
    return random.unit() < chance ? [{ i, weight: 1 / chance }] : []
  })
  const losses = brierLosses(all.p, all.truth)
  const sample = taken.map(({ i }) => losses[i] as number)
  const weighted = mean(
    sample,
    taken.map(({ weight }) => weight),
  )
  const truth = mean(losses, ones(50_000))
  assert.ok(Math.abs(weighted - truth) < 0.005, `weighted ${weighted}, true ${truth}`)
  const plain = mean(sample, ones(sample.length))
  assert.ok(plain - truth > 0.03, `unweighted ${plain}, true ${truth}`)
})

test('the expected calibration error is what a calibrated source shows', () => {
  const random = createRandom(6)
  const { p } = rowsOf(100, random)
  const { expected, limit } = simulatePerfectEce(p, ones(100), 1000, random)
  const shown = Array.from({ length: 1000 }, () =>
    ece(
      p,
      p.map((one) => (random.unit() < one ? 1 : 0)),
      ones(100),
    ),
  )
  const average = mean(shown, ones(1000))
  assert.ok(Math.abs(expected - average) < 0.003, `${expected}, shown ${average}`)
  const within = shown.filter((one) => one <= limit).length
  assert.ok(within > 920 && within < 980, `${within} of 1000 within ${limit}`)
  assert.ok(expected > 0.05, `${expected}`)
})

test.run()
