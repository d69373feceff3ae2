import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bootstrapIntervals } from '../../../lib/measure/statistics/bootstrap'
import { computeEce, simulatePerfectEce } from '../../../lib/measure/statistics/calibration'
import type { CutSample } from '../../../lib/measure/statistics/cut-candidates'
import { chooseCut } from '../../../lib/measure/statistics/cuts'
import { assignFolds, chooseMethod } from '../../../lib/measure/statistics/fits/choose'
import { fitMap } from '../../../lib/measure/statistics/fits/map'
import { wilsonInterval } from '../../../lib/measure/statistics/intervals'
import { brierLosses, logLosses } from '../../../lib/measure/statistics/losses'
import { type Numbers, weightedMean } from '../../../lib/measure/statistics/numbers'
import { rankRows, rocAuc } from '../../../lib/measure/statistics/ranking'
import {
  computeDesignEffect,
  createGroupUnits,
  createRowUnits,
  measureGroupSpread,
  type Units,
} from '../../../lib/measure/statistics/units'
import type { CalibrationMethod } from '../../../lib/runs/policy/policy'
import { createRandom, type Random } from '../../../lib/runtime/random'
import { applyMap, createOnes } from './tables'
import { createYesTable } from './vectors'

/**
 * Checks on many random samples how often cuts miss their targets, and how often intervals contain the true value. A cut is the
 * threshold: answers at or above it are accepted without a person. A unit is a group of rows, or a row without a group. Seeds are fixed,
 * so results do not change between runs.
 */
const test = suite('statistics, simulated')

/** Answers to a yes/no question, with P(yes) and a truth of 1 or 0. */
interface SimulatedRows {
  readonly p: Float64Array
  readonly truth: Float64Array
}

/**
 * Draws rows with a uniform P(yes). `toTrueProbability` maps P(yes) to the true probability of a yes. By default both are equal:
 * P(yes) is calibrated.
 */
const drawRows = (
  count: number,
  random: Random,
  toTrueProbability = (p: number): number => p,
): SimulatedRows => {
  const p = Float64Array.from({ length: count }, random.nextFloat)
  return { p, truth: p.map((value) => (random.nextFloat() < toTrueProbability(value) ? 1 : 0)) }
}

/** Repeats each row, so that `times` neighbouring rows are equal. */
const repeatRows = ({ p, truth }: SimulatedRows, times: number): SimulatedRows => ({
  p: Float64Array.from({ length: p.length * times }, (_, i) => p[Math.floor(i / times)] as number),
  truth: Float64Array.from(
    { length: p.length * times },
    (_, i) => truth[Math.floor(i / times)] as number,
  ),
})

/** Groups neighbouring rows into groups of `size`. */
const createGroupsOf = (size: number, rowCount: number): Units =>
  createGroupUnits(Uint32Array.from({ length: rowCount }, (_, i) => Math.floor(i / size)))

/** Creates a sample of rows with equal weight and without groups. `hits` has 1 for a yes or a right decision, else 0. */
const createCutSample = (scale: Float64Array, hits: Float64Array): CutSample => ({
  scale,
  hits,
  weights: createOnes(scale.length),
  units: createRowUnits(scale.length),
})

/** Repeats an experiment, and returns the share of `times` in which it returned true. */
const measureFrequency = (times: number, experiment: () => boolean): number => {
  let count = 0
  for (let i = 0; i < times; i++) if (experiment()) count++
  return count / times
}

/** The number of samples in most experiments. */
const sampleCount = 400

/** The maximum share of samples that miss a target: 5 %, and three standard errors of a share of 5 % in 400 samples. */
const maxMissedShare = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / sampleCount)

/**
 * The true figures of a cut at a threshold, for calibrated answers with a uniform P(yes). For example, accepted P(yes) are uniform
 * from the threshold to 1, so the share of them that is a yes is their mean.
 */
const trueFigures = {
  precision: (threshold: number) => (1 + threshold) / 2,
  recall: (threshold: number) => 1 - threshold ** 2,
  /** The threshold is on the larger of P(yes) and P(no). */
  accuracy: (threshold: number) => (1 + threshold) / 2,
}

/** Creates the sample from which a cut for a figure is chosen. */
const createSampleFor = (
  figure: keyof typeof trueFigures,
  { p, truth }: SimulatedRows,
): CutSample => {
  if (figure !== 'accuracy') return createCutSample(p, truth)
  const topProbability = p.map((value) => Math.max(value, 1 - value))
  const isRight = truth.map((value, i) => {
    const decision = (p[i] as number) >= 0.5 ? 1 : 0
    return value === decision ? 1 : 0
  })
  return createCutSample(topProbability, isRight)
}

const cutCases = [
  { figure: 'precision', value: 0.75, rowCount: 150 },
  { figure: 'precision', value: 0.9, rowCount: 1000 },
  { figure: 'precision', value: 0.8, rowCount: 400 },
  { figure: 'recall', value: 0.9, rowCount: 300 },
  { figure: 'accuracy', value: 0.8, rowCount: 150 },
  { figure: 'accuracy', value: 0.9, rowCount: 150 },
  { figure: 'accuracy', value: 0.8, rowCount: 1000 },
  { figure: 'accuracy', value: 0.9, rowCount: 1000 },
] as const

for (const { figure, value, rowCount } of cutCases)
  test(`a cut for ${figure} ${value} from ${rowCount} rows misses it in at most 5 % of samples`, () => {
    const random = createRandom(1)
    let foundCount = 0
    const missedShare = measureFrequency(sampleCount, () => {
      const sample = createSampleFor(figure, drawRows(rowCount, random))
      const { threshold } = chooseCut({ figure, value }, 0.95, sample)
      // Without a cut, no target is missed.
      if (threshold === null) return false
      foundCount++
      return trueFigures[figure](threshold) < value
    })
    assert.ok(missedShare <= maxMissedShare, `missed in ${missedShare}`)
    // The share would be 0 if no cut was found at all.
    assert.ok(foundCount > 10, `found ${foundCount} cuts`)
  })

const groupedCutCases = [
  { groupCount: 60, groupSize: 8, correlation: 0.5, value: 0.9 },
  { groupCount: 60, groupSize: 8, correlation: 0.2, value: 0.9 },
  { groupCount: 150, groupSize: 4, correlation: 0.4, value: 0.9 },
  { groupCount: 300, groupSize: 3, correlation: 0.6, value: 0.8 },
]

for (const { groupCount, groupSize, correlation, value } of groupedCutCases)
  test(`a cut from ${groupCount} groups of ${groupSize} rows, correlation ${correlation}, misses ${value} in at most 5 % of samples`, () => {
    const random = createRandom(8)
    const rowCount = groupCount * groupSize
    const units = createGroupsOf(groupSize, rowCount)
    // The true accuracy is just below the target, so every cut misses it.
    const drawHit = () => (random.nextFloat() < value - 1e-9 ? 1 : 0)
    const missedShare = measureFrequency(sampleCount, () => {
      const hitOfGroup = Float64Array.from({ length: groupCount }, drawHit)
      const hits = Float64Array.from({ length: rowCount }, (_, i) => {
        // Each row of a group follows it with the probability √ρ, so two of them correlate by √ρ · √ρ = ρ.
        const followsGroup = random.nextFloat() < Math.sqrt(correlation)
        return followsGroup ? (hitOfGroup[Math.floor(i / groupSize)] as number) : drawHit()
      })
      const scale = Float64Array.from({ length: rowCount }, random.nextFloat)
      const sample = { ...createCutSample(scale, hits), units }
      return chooseCut({ figure: 'accuracy', value }, 0.95, sample).threshold !== null
    })
    assert.ok(missedShare <= maxMissedShare, `missed in ${missedShare}`)
  })

test("Wilson's interval of rows in groups contains the true accuracy in at least 92 % of samples", () => {
  const random = createRandom(9)
  const groupCount = 40
  const groupSize = 10
  const rowCount = groupCount * groupSize
  const units = createGroupsOf(groupSize, rowCount)
  // A group has one of two accuracies, each with the probability 1/2. The true accuracy of all rows is their mean.
  const accuracies = [0.6, 1]
  const trueAccuracy = 0.8
  const coveredShare = measureFrequency(sampleCount, () => {
    const accuracyOfGroup = Array.from(
      { length: groupCount },
      () => accuracies[random.nextFloat() < 0.5 ? 0 : 1] as number,
    )
    const hits = Float64Array.from({ length: rowCount }, (_, i) =>
      random.nextFloat() < (accuracyOfGroup[Math.floor(i / groupSize)] as number) ? 1 : 0,
    )
    const effectiveRows = rowCount / computeDesignEffect(measureGroupSpread(hits, units))
    const { low, high } = wilsonInterval(weightedMean(hits, createOnes(rowCount)), effectiveRows)
    return low <= trueAccuracy && trueAccuracy <= high
  })
  // 95 %, less three standard errors of a share in 400 samples.
  assert.ok(coveredShare >= 0.92, `covered in ${coveredShare}`)
})

/** The number of bootstrap draws for an interval. svc makes 1,000, which takes longer and covers the true value equally often. */
const drawCount = 200

/** The true Brier score of calibrated answers with a uniform P(yes): the mean of p(1 − p). */
const trueBrier = 1 / 6

/** The true area under the ROC curve of these answers: the probability that a yes ranks above a no. */
const trueAuc = 5 / 6

/** The shares of samples in which the intervals of two figures contain the true value. */
interface Coverage {
  readonly brier: number
  readonly auc: number
}

/** Draws `times` samples. Returns the shares of them in which the bootstrap intervals contain the true figures. */
const measureCoverage = (
  times: number,
  units: Units,
  drawSample: (random: Random) => SimulatedRows,
): Coverage => {
  const random = createRandom(2)
  const coveredCounts = { brier: 0, auc: 0 }
  for (let sample = 0; sample < times; sample++) {
    const rows = drawSample(random)
    const losses = brierLosses(rows.p, rows.truth)
    const ranking = rankRows(rows.p, rows.truth)
    const { brier, auc } = bootstrapIntervals(
      (weights) => ({ brier: weightedMean(losses, weights), auc: rocAuc(ranking, weights) }),
      { weights: createOnes(losses.length), units, draws: drawCount, random },
    )
    if (brier && brier.low <= trueBrier && trueBrier <= brier.high) coveredCounts.brier++
    if (auc && auc.low <= trueAuc && trueAuc <= auc.high) coveredCounts.auc++
  }
  return { brier: coveredCounts.brier / times, auc: coveredCounts.auc / times }
}

/** Asserts that intervals of 95 % contain the true values in 93 to 97 % of 400 samples: 95 %, give or take two standard errors. */
const assertCoverage = ({ brier, auc }: Coverage): void => {
  assert.ok(brier >= 0.93 && brier <= 0.97, `brier_score: ${brier}`)
  assert.ok(auc >= 0.93 && auc <= 0.97, `roc_auc: ${auc}`)
}

test('bootstrap intervals contain the true value in 93 to 97 % of samples', () => {
  const units = createRowUnits(200)
  assertCoverage(measureCoverage(sampleCount, units, (random) => drawRows(200, random)))
})

/** Draws 150 rows, each twice. */
const drawPairs = (random: Random): SimulatedRows => repeatRows(drawRows(150, random), 2)

test('bootstrap intervals of groups contain the true value in 93 to 97 % of samples', () => {
  assertCoverage(measureCoverage(sampleCount, createGroupsOf(2, 300), drawPairs))
})

test('bootstrap intervals of grouped rows are too narrow if rows are drawn instead of groups', () => {
  const { brier } = measureCoverage(100, createRowUnits(300), drawPairs)
  assert.ok(brier < 0.88, `brier_score: ${brier}`)
})

/** Chooses the calibration method of rows like `--method auto`. */
const chooseMethodFor = (rows: SimulatedRows, random: Random): CalibrationMethod => {
  const units = createRowUnits(rows.p.length)
  const labelled = {
    isYesNo: true,
    table: createYesTable(rows.p),
    truth: rows.truth,
    weights: createOnes(rows.p.length),
  }
  return chooseMethod(labelled, units, assignFolds(units, random))
}

test('the method auto rarely changes calibrated probabilities', () => {
  const random = createRandom(3)
  const changedShare = measureFrequency(
    100,
    () => chooseMethodFor(drawRows(300, random), random) !== 'none',
  )
  assert.ok(changedShare <= 0.05, `changed in ${changedShare}`)
})

test('the method auto improves overconfident probabilities of rows that the map was not fitted to', () => {
  const random = createRandom(4)
  // The true log odds of a yes are those of P(yes) divided by 2.5.
  const temperature = 2.5
  const toTrueProbability = (p: number): number => 1 / (1 + (1 / p - 1) ** (1 / temperature))
  // The map is fitted to other rows than these.
  const otherRows = drawRows(20_000, random, toTrueProbability)
  const measureLoss = (p: Numbers): number =>
    weightedMean(logLosses(p, otherRows.truth), createOnes(20_000))
  const lossBefore = measureLoss(otherRows.p)
  const improvedShare = measureFrequency(40, () => {
    const rows = drawRows(400, random, toTrueProbability)
    const method = chooseMethodFor(rows, random)
    const table = createYesTable(rows.p)
    const map = fitMap(method, {
      isYesNo: true,
      table,
      truth: rows.truth,
      weights: createOnes(400),
    })
    const corrected = applyMap(map, createYesTable(otherRows.p)).values
    return method !== 'none' && measureLoss(corrected) < lossBefore - 0.02
  })
  assert.ok(improvedShare >= 0.95, `improved in ${improvedShare}`)
})

test('weights of 1/p remove the bias of a sample of mostly uncertain rows', () => {
  const random = createRandom(5)
  const rows = drawRows(50_000, random)
  const losses = brierLosses(rows.p, rows.truth)
  const sampledLosses: number[] = []
  const weights: number[] = []
  rows.p.forEach((p, i) => {
    const isUncertain = Math.abs(2 * p - 1) < 0.3
    const samplingProbability = isUncertain ? 1 : 0.1
    if (random.nextFloat() >= samplingProbability) return
    sampledLosses.push(losses[i] as number)
    weights.push(1 / samplingProbability)
  })
  const lossOfAll = weightedMean(losses, createOnes(losses.length))
  const weighted = weightedMean(sampledLosses, weights)
  const unweighted = weightedMean(sampledLosses, createOnes(sampledLosses.length))
  assert.ok(Math.abs(weighted - lossOfAll) < 0.005, `weighted ${weighted}, of all ${lossOfAll}`)
  assert.ok(unweighted - lossOfAll > 0.03, `unweighted ${unweighted}, of all ${lossOfAll}`)
})

test('simulates the mean and the 95 % quantile of the expected calibration error of calibrated probabilities', () => {
  const random = createRandom(6)
  const { p } = drawRows(100, random)
  const drawsOfTruth = 1000
  const { mean, quantile95 } = simulatePerfectEce(p, createOnes(100), drawsOfTruth, random)
  const observedErrors = Array.from({ length: drawsOfTruth }, () => {
    const truth = p.map((value) => (random.nextFloat() < value ? 1 : 0))
    return computeEce(p, truth, createOnes(100))
  })
  const observedMean = weightedMean(observedErrors, createOnes(drawsOfTruth))
  const countUpToQuantile = observedErrors.filter((value) => value <= quantile95).length
  // Calibrated probabilities have an error too, because the number of yes in a bin varies by chance.
  assert.ok(mean > 0.05, `mean ${mean}`)
  assert.ok(Math.abs(mean - observedMean) < 0.003, `${mean}, observed ${observedMean}`)
  // 95 % of 1,000 are expected.
  assert.ok(countUpToQuantile > 920 && countUpToQuantile < 980, `${countUpToQuantile} of 1000`)
})

test.run()
