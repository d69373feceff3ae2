import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FeatureTable } from '../../../lib/measure/statistics/logistic/feature-table'
import { type FitRows, fitLogistic } from '../../../lib/measure/statistics/logistic/fit'
import { type MinimizeLimits, minimize } from '../../../lib/measure/statistics/logistic/minimize'
import { predictRows } from '../../../lib/measure/statistics/logistic/predict'
import { readVectors } from '../../support/vectors'
import { finishSteps } from '../train/finish-steps'

const test = suite('logistic regression')

/** Rows with labels, and the probabilities that scikit-learn's `LogisticRegression` gives them. */
interface LogisticCase {
  readonly strength: number
  readonly classes: number
  readonly vectors: ReadonlyArray<ReadonlyArray<number>>
  /** The terms of each row, with their weights. */
  readonly terms: ReadonlyArray<ReadonlyArray<readonly [term: number, weight: number]>>
  readonly termCount: number
  readonly truth: ReadonlyArray<number>
  readonly weights: ReadonlyArray<number>
  readonly probabilities: ReadonlyArray<ReadonlyArray<number>>
}

const cases = readVectors<ReadonlyArray<LogisticCase>>('logistic.json')

const limits: MinimizeLimits = { tolerance: 1e-9, maxSteps: 2000 }

const createFeatures = ({ vectors, terms, termCount }: LogisticCase): FeatureTable => {
  const starts = new Uint32Array(terms.length + 1)
  for (const [row, list] of terms.entries()) starts[row + 1] = (starts[row] ?? 0) + list.length
  return {
    rowCount: vectors.length,
    dimensions: vectors[0]?.length ?? 0,
    vectors: Float32Array.from(vectors.flat()),
    termCount,
    starts,
    terms: Uint32Array.from(terms.flat(), ([term]) => term),
    weights: Float32Array.from(terms.flat(), ([, weight]) => weight),
  }
}

const createFitRows = (logisticCase: LogisticCase): FitRows => {
  const { classes, truth, weights } = logisticCase
  const targets = new Float32Array(truth.length * classes)
  for (const [row, label] of truth.entries()) targets[row * classes + label] = 1
  return {
    features: createFeatures(logisticCase),
    classCount: classes,
    rows: Uint32Array.from(truth.keys()),
    targets,
    rowWeights: Float64Array.from(weights),
  }
}

/** Fits a model, and returns the probabilities that it gives to all rows. */
const fitAndPredict = (data: FitRows, strength: number): ReadonlyArray<ReadonlyArray<number>> => {
  const weights = finishSteps(fitLogistic(data, strength, undefined, limits))
  const { features, classCount } = data
  const { dimensions, termCount } = features
  const probabilities: number[][] = []
  predictRows(features, { dimensions, termCount, classCount }, weights, data.rows, (row, logs) => {
    probabilities[row] = Array.from(logs, Math.exp)
  })
  return probabilities
}

const findLargestDifference = (
  a: ReadonlyArray<ReadonlyArray<number>>,
  b: ReadonlyArray<ReadonlyArray<number>>,
): number => {
  assert.is(a.length, b.length)
  return Math.max(...a.flatMap((row, i) => row.map((p, k) => Math.abs(p - (b[i]?.[k] ?? NaN)))))
}

for (const [i, logisticCase] of cases.entries())
  test(`gives the probabilities of scikit-learn, case ${i + 1}`, () => {
    const { strength, probabilities } = logisticCase
    const difference = findLargestDifference(
      fitAndPredict(createFitRows(logisticCase), strength),
      probabilities,
    )
    assert.ok(difference < 1e-4, String(difference))
  })

test('a target of several classes is like weighted rows of each', () => {
  const logisticCase = cases[2] as LogisticCase
  const { truth, weights, classes } = logisticCase
  const soft = createFitRows(logisticCase)
  const twice = createFitRows({
    ...logisticCase,
    vectors: [...logisticCase.vectors, ...logisticCase.vectors],
    terms: [...logisticCase.terms, ...logisticCase.terms],
    truth: [...truth, ...truth.map((label) => (label + 1) % classes)],
    weights: [...weights.map((w) => 0.7 * w), ...weights.map((w) => 0.3 * w)],
  })
  const targets = Float32Array.from(soft.targets)
  for (const [row, label] of truth.entries()) {
    targets[row * classes + label] = 0.7
    targets[row * classes + ((label + 1) % classes)] = 0.3
  }
  const bySoft = fitAndPredict({ ...soft, targets }, 0.3)
  const byRows = fitAndPredict(twice, 0.3).slice(0, truth.length)
  assert.ok(findLargestDifference(bySoft, byRows) < 1e-4)
})

test('rows that are left out change nothing', () => {
  const logisticCase = cases[0] as LogisticCase
  const all = createFitRows(logisticCase)
  const kept = 33
  const part = createFitRows({
    ...logisticCase,
    vectors: logisticCase.vectors.slice(0, kept),
    terms: logisticCase.terms.slice(0, kept),
    truth: logisticCase.truth.slice(0, kept),
    weights: logisticCase.weights.slice(0, kept),
  })
  const byRows = fitAndPredict({ ...all, rows: all.rows.subarray(0, kept) }, 1)
  assert.ok(findLargestDifference(byRows, fitAndPredict(part, 1)) < 1e-7)
})

test('minimize finds the minimum of a function whose curvatures differ by a factor of 10,000', () => {
  const point = finishSteps(
    minimize(
      ([x = 0, y = 0], gradient) => {
        gradient[0] = 2 * (x - 3)
        gradient[1] = 2e4 * (y + 1)
        return (x - 3) ** 2 + 1e4 * (y + 1) ** 2
      },
      new Float64Array(2),
      limits,
    ),
  )
  assert.ok(Math.abs((point[0] ?? 0) - 3) < 1e-6)
  assert.ok(Math.abs((point[1] ?? 0) + 1) < 1e-6)
})

test.run()
