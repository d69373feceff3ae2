import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bootstrapIntervals, countDraws } from '../../../lib/measure/statistics/bootstrap'
import { calibrationCurve, computeEce } from '../../../lib/measure/statistics/calibration'
import {
  countConfusions,
  macroF1,
  quadraticKappa,
} from '../../../lib/measure/statistics/classification'
import { fitMap } from '../../../lib/measure/statistics/fits/map'
import { brierLosses, logLosses } from '../../../lib/measure/statistics/losses'
import { type Numbers, pickNumbers, weightedMean } from '../../../lib/measure/statistics/numbers'
import { averagePrecision, rankRows, rocAuc } from '../../../lib/measure/statistics/ranking'
import { measureThreshold, riskCoverage } from '../../../lib/measure/statistics/thresholds'
import { createRowUnits } from '../../../lib/measure/statistics/units'
import { createRandom } from '../../../lib/runtime/random'
import { createOnes } from './tables'
import { assertNear, createYesTable } from './vectors'

const test = suite('weights of rows in statistics')

const random = createRandom(7)
/** P(yes) of 60 rows, in hundredths, so that some are equal. */
const sampleP = Float64Array.from({ length: 60 }, () => Math.round(random.nextFloat() * 100) / 100)
/** 1 for each row that is a yes, else 0. */
const sampleTruth = sampleP.map((value) => (random.nextFloat() < value ? 1 : 0))
/** Whole weights of the rows, 0 to 2. */
const sampleWeights = sampleP.map(() => random.nextInt(3))
/** The indexes of the rows, each as often as its weight says. */
const repeatedIndexes = [...sampleWeights].flatMap((weight, i) => Array<number>(weight).fill(i))

/** Computes a figure from P(yes), the truth (1 or 0) and the weights of rows. */
type ComputeFigure = (p: Numbers, truth: Numbers, weights: Numbers) => number | null

/** Rounds probabilities of a yes to decisions: 1 for yes, 0 for no. */
const decide = (p: Numbers): Numbers => Array.from(p, Math.round)

/** The design effect of rows without groups. */
const noDesignEffect = 1

const figures: Readonly<Record<string, ComputeFigure>> = {
  brier: (p, truth, weights) => weightedMean(brierLosses(p, truth), weights),
  'log loss': (p, truth, weights) => weightedMean(logLosses(p, truth), weights),
  auc: (p, truth, weights) => rocAuc(rankRows(p, truth), weights),
  'average precision': (p, truth, weights) => averagePrecision(rankRows(p, truth), weights),
  'expected calibration error': computeEce,
  'mean probability of the bin from 0.4 to 0.5': (p, truth, weights) =>
    calibrationCurve(p, truth, weights, noDesignEffect).find(({ lower }) => lower === 0.4)
      ?.prob_pred ?? null,
  'macro F1': (p, truth, weights) => macroF1(countConfusions(truth, decide(p), 2, weights)),
  kappa: (p, truth, weights) => quadraticKappa(countConfusions(truth, decide(p), 2, weights)),
  precision: (p, truth, weights) => measureThreshold(0.5, p, truth, weights).precision,
  F1: (p, truth, weights) => measureThreshold(0.5, p, truth, weights).f1,
  accuracy: (p, truth, weights) => measureThreshold(0.5, p, truth, weights).accuracy,
  'risk at full coverage': (p, truth, weights) =>
    riskCoverage(p, truth, weights).at(-1)?.risk ?? null,
  temperature: (p, truth, weights) => {
    const table = { values: Array.from(p).flatMap((yes) => [1 - yes, yes]), columns: 2 }
    const map = fitMap('temperature', { isYesNo: false, table, truth, weights })
    return map.method === 'temperature' ? map.temperature : null
  },
  'slope of the Platt map': (p, truth, weights) => {
    const map = fitMap('platt', { isYesNo: true, table: createYesTable(p), truth, weights })
    return map.method === 'platt' ? map.slope : null
  },
}

for (const [name, computeFigure] of Object.entries(figures))
  test(`${name}: a row of weight n counts like n rows`, () => {
    const repeatedP = pickNumbers(sampleP, repeatedIndexes)
    const repeatedTruth = pickNumbers(sampleTruth, repeatedIndexes)
    const unweighted = computeFigure(repeatedP, repeatedTruth, createOnes(repeatedIndexes.length))
    assertNear(computeFigure(sampleP, sampleTruth, sampleWeights), unweighted, name, 1e-7)
  })

test('more than 20,000 rows get 200 bootstrap draws instead of 1,000', () => {
  assert.is(countDraws(20_000), 1000)
  assert.is(countDraws(20_001), 200)
})

test('a figure whose draws differ only by rounding errors has no interval', () => {
  let isExact = false
  const intervals = bootstrapIntervals(
    () => {
      isExact = !isExact
      return { constant: isExact ? 0.3 : 0.1 + 0.2 }
    },
    {
      weights: createOnes(40),
      units: createRowUnits(40),
      draws: 20,
      random: createRandom(1),
    },
  )
  assert.equal(intervals, {})
})

test.run()
