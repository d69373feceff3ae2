import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cohenKappa, countConfusions } from '../../../lib/measure/statistics/classification'
import { fitMap } from '../../../lib/measure/statistics/fits/map'
import { adjustByHolm, computeMcnemarPValue } from '../../../lib/measure/statistics/hypotheses'
import { clopperPearsonLower, wilsonInterval } from '../../../lib/measure/statistics/intervals'
import { type Numbers, type Table, weightedMean } from '../../../lib/measure/statistics/numbers'
import type { CalibrationMap } from '../../../lib/runs/policy/policy'
import { applyMap, createOnes } from './tables'
import { assertNear, createYesTable, vectors } from './vectors'

/** Compares figures with those that scikit-learn, SciPy and statsmodels compute. `assertNear` allows a difference of 1e-9 by default. */
const test = suite('statistics against scikit-learn, SciPy and statsmodels')

const createTable = (rows: ReadonlyArray<ReadonlyArray<number>>): Table => ({
  values: Float64Array.from(rows.flat()),
  columns: rows[0]?.length ?? 0,
})

test("agrees on Wilson's interval", () => {
  for (const { k, n, low, high } of vectors.wilson) {
    assertNear(wilsonInterval(k / n, n).low, low, `low of ${k} in ${n}`)
    assertNear(wilsonInterval(k / n, n).high, high, `high of ${k} in ${n}`)
  }
})

test('agrees on the Clopper–Pearson lower bound', () => {
  for (const { k, n, confidence, lower } of vectors.clopper_pearson_lower)
    assertNear(clopperPearsonLower(k, n, confidence), lower, `${k} in ${n} at ${confidence}`)
})

test("agrees on the p-value of McNemar's exact test", () => {
  for (const { fixed, broken, p } of vectors.mcnemar_exact)
    assertNear(computeMcnemarPValue(fixed, broken), p, `${fixed} fixed, ${broken} broken`)
})

test("agrees on Holm's correction", () => {
  for (const { p, adjusted } of vectors.holm)
    adjustByHolm(p).forEach((value, i) => {
      assertNear(value, adjusted[i], `p ${p[i]}`)
    })
})

test("agrees on Cohen's kappa", () => {
  const classCount = 4
  for (const { a, b, kappa } of vectors.kappa)
    assertNear(cohenKappa(countConfusions(a, b, classCount)), kappa, 'kappa')
})

/** Computes the mean log loss of calibrated P(yes): −ln of the probability of the truth, which is 1 or 0. */
const computeYesLoss = (map: CalibrationMap, table: Table, truth: Numbers): number => {
  const yes = applyMap(map, table).values
  const losses = Array.from(truth, (label, row) => {
    const p = yes[row] as number
    return -Math.log(label === 1 ? p : 1 - p)
  })
  return weightedMean(losses, createOnes(losses.length))
}

/** Computes the mean log loss of calibrated probabilities: −ln of the probability of the right column. */
const computeLabelLoss = (map: CalibrationMap, table: Table, truth: Numbers): number => {
  const { values, columns } = applyMap(map, table)
  const losses = Array.from(
    truth,
    (trueColumn, row) => -Math.log(values[row * columns + trueColumn] as number),
  )
  return weightedMean(losses, createOnes(losses.length))
}

test('agrees on the fit of Platt', () => {
  for (const { p, y, slope, intercept, log_loss } of vectors.platt) {
    const table = createYesTable(p)
    const map = fitMap('platt', { isYesNo: true, table, truth: y, weights: createOnes(y.length) })
    assert.ok(map.method === 'platt')
    assertNear(map.slope, slope, 'slope', 1e-5)
    assertNear(map.intercept, intercept, 'intercept', 1e-5)
    assertNear(computeYesLoss(map, table, y), log_loss, 'log_loss')
  }
})

test('agrees on the fit of a temperature', () => {
  for (const { probabilities, y, temperature, log_loss } of vectors.temperature_choice) {
    const table = createTable(probabilities)
    const map = fitMap('temperature', {
      isYesNo: false,
      table,
      truth: y,
      weights: createOnes(y.length),
    })
    assert.ok(map.method === 'temperature')
    assertNear(map.temperature, temperature, 'temperature', 1e-5)
    assertNear(computeLabelLoss(map, table, y), log_loss, 'log_loss')
  }
})

test.run()
