import {
  type CutEvidence,
  candidateCount,
  computeMinRowsForProof,
  computeMinTestedRows,
  measureCutEvidence,
  minCutGroups,
  type TestedCandidate,
} from './cut-evidence'
import { clopperPearsonLower } from './intervals'
import {
  countMissingLabels,
  estimateMissingLabels,
  explainFailedTest,
  explainTooFewLabels,
  type MissingLabels,
} from './missing-labels'
import {
  computeEffectiveSize,
  findIndexes,
  type Numbers,
  pickNumbers,
  sortDescending,
  sum,
} from './numbers'
import { listAcceptedRows } from './thresholds'
import { measureGroupSpread, type Units } from './units'

/** The figures that a target can name. */
export const targetFigures = ['precision', 'recall', 'accuracy', 'coverage'] as const

/** The target of a cut. */
export interface CutTarget {
  readonly figure: (typeof targetFigures)[number]
  /** The value to reach, between 0 and 1. */
  readonly value: number
}

/** A threshold for accepting answers, and its evidence. Without a cut, `at` is null and `why` gives the reason. */
export interface Cut {
  readonly threshold: number | null
  /** The number of labelled rows at or above the cut; 0 without a cut. */
  readonly acceptedRows: number
  /** The share of these rows in the weight of all rows; 0 without a cut. */
  readonly acceptedShare: number
  /** The one-sided lower bound of the target's figure; for coverage, the coverage itself. Null without a cut. */
  readonly lowerBound: number | null
  /** The minimum number of rows that can prove the target. Absent for coverage. */
  readonly minRowsForProof?: number
  readonly reason?: string
  /** The labels that are missing for a cut. Absent if there is a cut, or if more labels would not help. */
  readonly missingLabels?: MissingLabels
}

/** The labelled rows that a cut is chosen from. */
export interface CutSample {
  /** The value of each row that is compared with the cut. */
  readonly scale: Numbers
  /** For precision and recall, 1 if the label is yes; for accuracy, 1 if the decision is right; else 0. */
  readonly right: Numbers
  readonly weights: Numbers
  readonly units: Units
  /** The design effect of groups for recall. */
  readonly designEffect: number
}

/**
 * Chooses a cut on a scale by testing ten candidates in an order that does not depend on the labels. Each test compares a
 * one-sided lower bound with the target. The first failure ends the tests, and the last candidate that passed is the cut.
 * Tests in a fixed order need no correction for multiple testing (Maurer, Hothorn and Lehmacher 1995): the cut misses its
 * target in at most 1 − confidence of samples.
 */
export const chooseCut = (target: CutTarget, confidence: number, sample: CutSample): Cut => {
  switch (target.figure) {
    case 'precision':
    case 'accuracy':
      return chooseByAcceptedRows(target, confidence, sample)
    case 'recall':
      return chooseByPositives(target, confidence, sample)
    case 'coverage':
      return chooseByCoverage(target.value, sample)
  }
}

/** Tests the share of accepted rows that are right, beginning with the highest threshold. */
const chooseByAcceptedRows = (
  target: CutTarget,
  confidence: number,
  { scale, right, weights, units }: CutSample,
): Cut => {
  const fallbackCorrelation = units.isGrouped
    ? measureGroupSpread(right, units, undefined).correlation
    : undefined
  const candidates = listAcceptedRows(candidateCount, scale, right, weights)
  const tests = candidates.map((candidate): TestedCandidate => {
    const kish = candidate.weight ** 2 / candidate.sumOfSquaredWeights
    const evidence = measureCutEvidence(kish, right, units, candidate.indexes, {
      fallbackCorrelation,
    })
    return { candidate, figure: candidate.rightWeight / candidate.weight, evidence }
  })
  const minRowsForProof = computeMinRowsForProof(target.value, confidence)
  const minRows = computeMinTestedRows(minRowsForProof, tests.at(-1)?.evidence.effectiveRows ?? 0)
  const largeEnough = tests.filter(({ evidence }) => evidence.effectiveRows >= minRows - 1e-9)
  const used = largeEnough.length === 0 ? tests.slice(-1) : largeEnough
  return testInOrder(target, confidence, used, sum(weights), 'accepted rows are right')
}

/** Tests the share of positives that are accepted, beginning with the lowest threshold. */
const chooseByPositives = (target: CutTarget, confidence: number, sample: CutSample): Cut => {
  const { scale, right, weights, units, designEffect } = sample
  const positives = findIndexes(right, (value) => value === 1)
  const positiveWeights = pickNumbers(weights, positives)
  const positiveWeight = sum(positiveWeights)
  const kish = computeEffectiveSize(positiveWeights)
  const evidence = measureCutEvidence(kish, right, units, positives, { designEffect })
  const candidates = listAcceptedRows(candidateCount, scale, right, weights).toReversed()
  const tests = candidates.map((candidate): TestedCandidate => {
    const figure = positiveWeight === 0 ? 0 : candidate.rightWeight / positiveWeight
    return { candidate, figure, evidence }
  })
  return testInOrder(target, confidence, tests, sum(weights), 'rows that are a yes are found')
}

/** The result of testing candidates in order. */
interface CutTests {
  readonly passed: TestedCandidate | undefined
  readonly failed: TestedCandidate | undefined
  /** The largest evidence of a candidate, tested or not. */
  readonly largestEvidence: CutEvidence
}

/** Tests candidates until one fails. Skips those with too few rows or groups. */
const runTests = (
  value: number,
  confidence: number,
  minRowsForProof: number,
  tests: ReadonlyArray<TestedCandidate>,
): CutTests => {
  let passed: TestedCandidate | undefined
  let largestEvidence: CutEvidence = { rows: 0, effectiveRows: 0, groups: undefined }
  for (const test of tests) {
    const { evidence } = test
    if (evidence.effectiveRows >= largestEvidence.effectiveRows) largestEvidence = evidence
    const hasFewGroups = evidence.groups !== undefined && evidence.groups < minCutGroups
    if (evidence.effectiveRows < minRowsForProof - 1e-9 || hasFewGroups) continue
    if (computeLowerBound(test, confidence) < value)
      return { passed, failed: test, largestEvidence }
    passed = test
  }
  return { passed, failed: undefined, largestEvidence }
}

/** Returns the last candidate that passes as the cut. If none does, explains why and counts the missing labels. */
const testInOrder = (
  { figure, value }: CutTarget,
  confidence: number,
  tests: ReadonlyArray<TestedCandidate>,
  totalWeight: number,
  rowsAre: string,
): Cut => {
  const minRowsForProof = computeMinRowsForProof(value, confidence)
  const { passed, failed, largestEvidence } = runTests(value, confidence, minRowsForProof, tests)
  if (passed !== undefined) {
    const { threshold, rows, weight } = passed.candidate
    const lowerBound = computeLowerBound(passed, confidence)
    return {
      threshold,
      acceptedRows: rows,
      acceptedShare: weight / totalWeight,
      lowerBound,
      minRowsForProof,
    }
  }
  const noCut = {
    threshold: null,
    acceptedRows: 0,
    acceptedShare: 0,
    lowerBound: null,
    minRowsForProof,
  }
  if (failed === undefined) {
    const reason = explainTooFewLabels(figure, value, minRowsForProof, largestEvidence)
    return { ...noCut, reason, missingLabels: countMissingLabels(minRowsForProof, largestEvidence) }
  }
  const reason = explainFailedTest(failed, figure, computeLowerBound(failed, confidence), rowsAre)
  const missingLabels = estimateMissingLabels(failed, value, confidence, tests)
  return missingLabels === undefined ? { ...noCut, reason } : { ...noCut, reason, missingLabels }
}

const computeLowerBound = ({ figure, evidence }: TestedCandidate, confidence: number): number => {
  const n = evidence.effectiveRows
  return clopperPearsonLower(Math.min(1, figure) * n, n, confidence)
}

/** Finds the highest value of the scale that accepts at least the share `target` of all rows. */
const chooseByCoverage = (target: number, { scale, weights }: CutSample): Cut => {
  const totalWeight = sum(weights)
  // Allows for rounding errors of the sums.
  const minWeight = (target - 1e-9) * totalWeight
  let weight = 0
  let acceptedRows = 0
  let threshold = Number.NaN
  for (const index of sortDescending(scale)) {
    const value = scale[index] as number
    const isTied = value === threshold
    if (weight >= minWeight && !isTied) break
    threshold = value
    weight += weights[index] as number
    acceptedRows++
  }
  const acceptedShare = weight / totalWeight
  return { threshold, acceptedRows, acceptedShare, lowerBound: acceptedShare }
}
