import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cohenKappa, countConfusions } from '../../../lib/measure/statistics/classification'
import { applyMap, fitMap } from '../../../lib/measure/statistics/fits/map'
import { holm, mcnemarExact } from '../../../lib/measure/statistics/hypotheses'
import { clopperPearsonLower, wilson } from '../../../lib/measure/statistics/intervals'
import { mean, type Numbers, ones, type Table } from '../../../lib/measure/statistics/numbers'
import type { CalibrationMap } from '../../../lib/runs/policy/calibration-map'
import { assertNear, createYesTable, vectors } from './vectors'

/** Every figure agrees with scikit-learn, SciPy and statsmodels to 1e-9, every fit to 1e-5. */
const test = suite('statistics against scikit-learn, SciPy and statsmodels')

const tableOf = (rows: ReadonlyArray<ReadonlyArray<number>>): Table => ({
  values: Float64Array.from(rows.flat()),
  columns: rows[0]?.length ?? 0,
})

test('wilson', () => {
  for (const { k, n, low, high } of vectors.wilson) {
    assertNear(wilson(k / n, n).low, low, `low of ${k} in ${n}`)
    assertNear(wilson(k / n, n).high, high, `high of ${k} in ${n}`)
  }
})

test('clopper-pearson', () => {
  for (const { k, n, confidence, lower } of vectors.clopper_pearson_lower)
    assertNear(clopperPearsonLower(k, n, confidence), lower, `${k} in ${n} at ${confidence}`)
})

test('mcnemar', () => {
  for (const { fixed, broken, p } of vectors.mcnemar_exact)
    assertNear(mcnemarExact(fixed, broken), p, `${fixed} fixed, ${broken} broken`)
})

test('holm', () => {
  for (const { p, adjusted } of vectors.holm)
    holm(p).forEach((value, i) => {
      assertNear(value, adjusted[i], `p ${p[i]}`)
    })
})

test('kappa', () => {
  for (const { a, b, kappa } of vectors.kappa)
    assertNear(cohenKappa(countConfusions(a, b, 4, ones(a.length))), kappa, 'kappa')
})

/** The unclipped log loss, as the vectors have it: what the fit minimises. */
const lossOf = (map: CalibrationMap, table: Table, y: Numbers, yesNo: boolean): number => {
  const { values, columns } = applyMap(map, table)
  const losses = Array.from(y, (right, row) => {
    const p = values[row * columns + (yesNo ? 0 : right)] as number
    return -Math.log(yesNo && right === 0 ? 1 - p : p)
  })
  return mean(losses, ones(losses.length))
}

test('platt', () => {
  for (const { p, y, slope, intercept, log_loss } of vectors.platt) {
    const table = createYesTable(p)
    const map = fitMap('platt', { yesNo: true, table, truth: y, weights: ones(y.length) })
    assert.ok(map.method === 'platt')
    assertNear(map.slope, slope, 'slope', 1e-5)
    assertNear(map.intercept, intercept, 'intercept', 1e-5)
    assertNear(lossOf(map, table, y, true), log_loss, 'log_loss')
  }
})

test('temperature', () => {
  const sets = vectors.temperature_choice.map((set) => ({
    ...set,
    yesNo: false,
    table: tableOf(set.probabilities),
  }))
  for (const { yesNo, table, y, temperature, log_loss } of sets) {
    const map = fitMap('temperature', { yesNo, table, truth: y, weights: ones(y.length) })
    assert.ok(map.method === 'temperature')
    assertNear(map.temperature, temperature, 'temperature', 1e-5)
    assertNear(lossOf(map, table, y, yesNo), log_loss, 'log_loss')
  }
})

test.run()
