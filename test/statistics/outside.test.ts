import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { calibrationCurve, ece } from '../../lib/statistics/calibration'
import {
  balancedAccuracy,
  cohenKappa,
  confusion,
  macroF1,
  perClass,
  quadraticKappa,
  within,
} from '../../lib/statistics/classification'
import { applyIsotonic, fitIsotonic } from '../../lib/statistics/fits/isotonic'
import { applyMap, fit } from '../../lib/statistics/fits/map'
import type { CalibrationMap } from '../../lib/statistics/fits/method'
import { clopperPearsonLower, holm, mcnemarExact, wilson } from '../../lib/statistics/intervals'
import {
  brierLosses,
  brierLossesOfAll,
  logLosses,
  logLossesOfAll,
  rankedProbabilityScores,
} from '../../lib/statistics/losses'
import { mean, type Numbers, ones, sortDescending, type Table } from '../../lib/statistics/numbers'
import { averagePrecision, rankingOf, rocAuc } from '../../lib/statistics/ranking'
import { sweepPoint } from '../../lib/statistics/thresholds'
import { near, tableOfYes, vectors } from './vectors'

/** Every figure agrees with scikit-learn, SciPy and statsmodels to 1e-9, every fit to 1e-5. */
const test = suite('statistics against scikit-learn, SciPy and statsmodels')

const tableOf = (rows: ReadonlyArray<ReadonlyArray<number>>): Table => ({
  values: Float64Array.from(rows.flat()),
  columns: rows[0]?.length ?? 0,
})

const rowsOf = ({ values, columns }: Table): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: values.length / columns }, (_, row) =>
    Array.from(values).slice(row * columns, (row + 1) * columns),
  )

/** The first of the likeliest columns. */
const decisions = (rows: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> =>
  rows.map((row) => row.indexOf(Math.max(...row)))

const sameCurve = (p: Numbers, hits: Numbers, expected: unknown, name: string): void => {
  const curve = calibrationCurve(p, hits, ones(p.length), 1)
  assert.ok(Array.isArray(expected) && expected.length === curve.length, `${name}: bins`)
  curve.forEach((bin, i) => {
    for (const [field, value] of Object.entries(bin))
      near(value, expected[i][field], `${name} ${field}`)
  })
}

for (const [i, { p, y, expected }] of vectors.noul.entries())
  test(`noul ${i}: ${p.length} rows`, () => {
    const truth = y.map(Number)
    const weights = ones(p.length)
    const ranking = rankingOf(p, truth)
    near(mean(brierLosses(p, truth), weights), expected.brier_score, 'brier_score')
    near(mean(logLosses(p, truth), weights), expected.log_loss, 'log_loss')
    near(rocAuc(ranking, weights), expected.roc_auc, 'roc_auc')
    near(averagePrecision(ranking, weights), expected.average_precision, 'average_precision')
    near(ece(p, truth, weights), expected.ece, 'ece')
    sameCurve(p, truth, expected.calibration_curve, 'curve')
    const point = sweepPoint(0.5, p, truth, weights)
    for (const figure of ['precision', 'recall', 'f1', 'accuracy'] as const)
      near(point[figure], expected.at_half[figure], figure)
  })

for (const [i, { labels, probabilities, y, expected }] of vectors.choice.entries())
  test(`choice ${i}: ${y.length} rows`, () => {
    const truth = y.map((label) => labels.indexOf(label))
    const weights = ones(y.length)
    const table = tableOf(probabilities)
    const decided = decisions(probabilities)
    const matrix = confusion(truth, decided, labels.length, weights)
    near(within(matrix, 0), expected.accuracy, 'accuracy')
    near(balancedAccuracy(matrix), expected.balanced_accuracy, 'balanced_accuracy')
    near(macroF1(matrix), expected.macro_f1, 'macro_f1')
    assert.equal(rowsOf(matrix), expected.confusion_matrix)
    perClass(matrix).forEach((figures, c) => {
      for (const [name, value] of Object.entries(figures))
        near(value, expected.per_class[labels[c] as string]?.[name], `${labels[c]} ${name}`)
    })
    near(mean(brierLossesOfAll(table, truth), weights), expected.brier_score, 'brier_score')
    near(mean(logLossesOfAll(table, truth), weights), expected.log_loss, 'log_loss')
    const top = probabilities.map((row) => Math.max(...row))
    const hits = truth.map((right, row) => Number(right === decided[row]))
    near(ece(top, hits, weights), expected.ece, 'ece')
    sameCurve(top, hits, expected.calibration_curve, 'curve')
  })

for (const [i, { levels, probabilities, y, expected }] of vectors.score.entries())
  test(`score ${i}: ${y.length} rows`, () => {
    const weights = ones(y.length)
    const table = tableOf(probabilities)
    const decided = decisions(probabilities)
    const matrix = confusion(y, decided, levels, weights)
    near(within(matrix, 0), expected.exact, 'exact')
    near(within(matrix, 1), expected.adjacent, 'adjacent')
    near(quadraticKappa(matrix), expected.quadratic_kappa, 'quadratic_kappa')
    assert.equal(rowsOf(matrix), expected.confusion_matrix)
    const scores = probabilities.map((row) => row.reduce((total, p, level) => total + p * level, 0))
    const off = scores.map((score, row) => Math.abs(score - (y[row] as number)))
    near(mean(off, weights), expected.mean_absolute_error, 'mean_absolute_error')
    const rps = mean(rankedProbabilityScores(table, y), weights)
    near(rps, expected.ranked_probability_score, 'ranked_probability_score')
    const hits = y.map((right, row) => Number(right === decided[row]))
    near(
      ece(
        probabilities.map((row) => Math.max(...row)),
        hits,
        weights,
      ),
      expected.ece,
      'ece',
    )
  })

test('wilson', () => {
  for (const { k, n, low, high } of vectors.wilson) {
    near(wilson(k / n, n).low, low, `low of ${k} in ${n}`)
    near(wilson(k / n, n).high, high, `high of ${k} in ${n}`)
  }
})

test('clopper-pearson', () => {
  for (const { k, n, confidence, lower } of vectors.clopper_pearson_lower)
    near(clopperPearsonLower(k, n, confidence), lower, `${k} in ${n} at ${confidence}`)
})

test('mcnemar', () => {
  for (const { fixed, broken, p } of vectors.mcnemar_exact)
    near(mcnemarExact(fixed, broken), p, `${fixed} fixed, ${broken} broken`)
})

test('holm', () => {
  for (const { p, adjusted } of vectors.holm)
    holm(p).forEach((value, i) => {
      near(value, adjusted[i], `p ${p[i]}`)
    })
})

test('kappa', () => {
  for (const { a, b, kappa } of vectors.kappa)
    near(cohenKappa(confusion(a, b, 4, ones(a.length))), kappa, 'kappa')
})

test('isotonic', () => {
  for (const { x, y, at, fitted } of vectors.isotonic) {
    const points = fitIsotonic(x, sortDescending(x).reverse(), y, ones(x.length))
    at.forEach((p, i) => {
      near(applyIsotonic(points, p), fitted[i], `at ${p}`, 1e-5)
    })
  }
})

/** The unclipped log loss, as the vectors have it: what the fit minimises. */
const lossOf = (map: CalibrationMap, table: Table, y: Numbers, yesNo: boolean): number => {
  const { values, columns } = applyMap(map, table, yesNo)
  const losses = Array.from(y, (right, row) => {
    const p = values[row * columns + (yesNo ? 0 : right)] as number
    return -Math.log(yesNo && right === 0 ? 1 - p : p)
  })
  return mean(losses, ones(losses.length))
}

test('platt', () => {
  for (const { p, y, slope, intercept, log_loss } of vectors.platt) {
    const table = tableOfYes(p)
    const map = fit('platt', { yesNo: true, table, truth: y, weights: ones(y.length) })
    assert.ok(map.method === 'platt')
    near(map.slope, slope, 'slope', 1e-5)
    near(map.intercept, intercept, 'intercept', 1e-5)
    near(lossOf(map, table, y, true), log_loss, 'log_loss')
  }
})

test('temperature', () => {
  const sets = [
    ...vectors.temperature_noul.map((set) => ({ ...set, yesNo: true, table: tableOfYes(set.p) })),
    ...vectors.temperature_choice.map((set) => ({
      ...set,
      yesNo: false,
      table: tableOf(set.probabilities),
    })),
  ]
  for (const { yesNo, table, y, temperature, log_loss } of sets) {
    const map = fit('temperature', { yesNo, table, truth: y, weights: ones(y.length) })
    assert.ok(map.method === 'temperature')
    near(map.temperature, temperature, 'temperature', 1e-5)
    near(lossOf(map, table, y, yesNo), log_loss, 'log_loss')
  }
})

test.run()
