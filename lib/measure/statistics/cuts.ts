import {
  type CutCandidate,
  type CutEvidence,
  candidateCount,
  computeMinRowsForProof,
  computeMinTestedRows,
  measureCutEvidence,
  minCutGroups,
  roundingTolerance,
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

/** The target of a cut: a figure of the rows that the cut accepts, and the value that it must reach, between 0 and 1. */
export interface CutTarget {
  readonly figure: (typeof targetFigures)[number]
  readonly value: number
}

/**
 * A cut: a threshold at or above which answers are accepted without a person, and its evidence. If no threshold can be chosen,
 * `threshold` is null and `reason` explains it.
 */
export interface Cut {
  readonly threshold: number | null
  /** The number of labelled rows that the cut accepts; 0 without a cut. */
  readonly acceptedRows: number
  /** The weight of these rows as a share of the weight of all rows; 0 without a cut. */
  readonly acceptedShare: number
  /** The one-sided lower bound of the target's figure; for coverage, the coverage itself. Null without a cut. */
  readonly lowerBound: number | null
  /** The minimum number of rows that can prove the target. Absent for coverage, and if no candidates were tested. */
  readonly minRowsForProof?: number
  /** Absent if there is a cut. */
  readonly reason?: string
  /** The labels that are missing for a cut. Absent if there is a cut, or if more labels would not help. */
  readonly missingLabels?: MissingLabels
}

/** The labelled rows that a cut is chosen from. */
export interface CutSample {
  /** The value of each row that is compared with the threshold. */
  readonly scale: Numbers
  /**
   * 1 for each row that is a hit, else 0. For precision and recall, a hit is a row that is a yes; for accuracy, one whose decision is
   * right.
   */
  readonly hits: Numbers
  readonly weights: Numbers
  readonly units: Units
  /**
   * The design effect of groups in all rows: the number of rows in groups that give as much evidence as one independent row. Only
   * recall uses it. Precision and accuracy measure it at each threshold.
   */
  readonly designEffect: number
}

/**
 * Chooses a cut on a scale. For a coverage, the cut is the highest threshold that accepts enough rows. For another figure, up to ten
 * candidates are tested in an order that does not depend on the labels. Each test compares a one-sided lower bound with the
 * target. The first failure ends the tests, and the last candidate that passed is the cut.
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

/** Tests the share of accepted rows that are hits, beginning with the highest threshold, which is the likeliest to pass. */
const chooseByAcceptedRows = (
  target: CutTarget,
  confidence: number,
  { scale, hits, weights, units }: CutSample,
): Cut => {
  const fallbackCorrelation = units.isGrouped
    ? measureGroupSpread(hits, units).correlation
    : undefined
  const acceptedRows = listAcceptedRows(candidateCount, scale, hits, weights)
  const candidates = acceptedRows.map((accepted): CutCandidate => {
    const evidence = measureCutEvidence({
      // Kish's effective size: (Σ w)² / Σ w²
      kishSize: accepted.weight ** 2 / accepted.sumOfSquaredWeights,
      hits,
      units,
      indexes: accepted.indexes,
      fallbackCorrelation,
    })
    return { accepted, figure: accepted.hitWeight / accepted.weight, evidence }
  })
  const minRowsForProof = computeMinRowsForProof(target.value, confidence)
  // The last candidate accepts all rows. Without rows there is none.
  const allEffectiveRows = candidates.at(-1)?.evidence.effectiveRows ?? 0
  const minRows = computeMinTestedRows(minRowsForProof, allEffectiveRows)
  const largeEnough = candidates.filter(
    ({ evidence }) => evidence.effectiveRows >= minRows - roundingTolerance,
  )
  // If none is large enough, the one that accepts all rows remains, so that the reason says how many rows there are.
  const tested = largeEnough.length === 0 ? candidates.slice(-1) : largeEnough
  return chooseTestedCut(target, confidence, tested, sum(weights))
}

/**
 * Tests the share of positives (rows that are a yes) that are accepted, beginning with the lowest threshold, which accepts all of
 * them.
 */
const chooseByPositives = (target: CutTarget, confidence: number, sample: CutSample): Cut => {
  const { scale, hits, weights, units, designEffect } = sample
  const positives = findIndexes(hits, (value) => value === 1)
  const positiveWeights = pickNumbers(weights, positives)
  const positiveWeight = sum(positiveWeights)
  // The evidence for a recall is all positives, so it is the same for every candidate.
  const kishSize = computeEffectiveSize(positiveWeights)
  const evidence = measureCutEvidence({ kishSize, hits, units, indexes: positives, designEffect })
  const acceptedRows = listAcceptedRows(candidateCount, scale, hits, weights).toReversed()
  const candidates = acceptedRows.map((accepted): CutCandidate => {
    // Without positives, every candidate is skipped for lack of evidence, so the figure 0 is not used.
    const figure = positiveWeight === 0 ? 0 : accepted.hitWeight / positiveWeight
    return { accepted, figure, evidence }
  })
  return chooseTestedCut(target, confidence, candidates, sum(weights))
}

interface CutTests {
  /** The last candidate that passed. */
  readonly passed: CutCandidate | undefined
  /** The candidate that failed and ended the tests. */
  readonly failed: CutCandidate | undefined
  /** The largest evidence of the candidates up to the one that failed, including those that were skipped. */
  readonly largestEvidence: CutEvidence
}

/** Tests candidates until one fails. Skips those with too few rows or groups. */
const runTests = (
  targetValue: number,
  confidence: number,
  minRowsForProof: number,
  candidates: ReadonlyArray<CutCandidate>,
): CutTests => {
  let passed: CutCandidate | undefined
  // The first candidate replaces this evidence of no rows.
  let largestEvidence: CutEvidence = { rowCount: 0, effectiveRows: 0, effectiveGroups: undefined }
  for (const candidate of candidates) {
    const { evidence } = candidate
    if (evidence.effectiveRows >= largestEvidence.effectiveRows) largestEvidence = evidence
    const hasTooFewGroups =
      evidence.effectiveGroups !== undefined && evidence.effectiveGroups < minCutGroups
    if (evidence.effectiveRows < minRowsForProof - roundingTolerance || hasTooFewGroups) continue
    if (computeLowerBound(candidate, confidence) < targetValue)
      return { passed, failed: candidate, largestEvidence }
    passed = candidate
  }
  return { passed, failed: undefined, largestEvidence }
}

/**
 * Tests candidates in their order. Returns the last one that passes as the cut. If none passes, explains the reason and counts the
 * missing labels.
 */
const chooseTestedCut = (
  { figure, value }: CutTarget,
  confidence: number,
  candidates: ReadonlyArray<CutCandidate>,
  totalWeight: number,
): Cut => {
  const minRowsForProof = computeMinRowsForProof(value, confidence)
  const { passed, failed, largestEvidence } = runTests(
    value,
    confidence,
    minRowsForProof,
    candidates,
  )
  if (passed !== undefined)
    return {
      threshold: passed.accepted.threshold,
      acceptedRows: passed.accepted.rowCount,
      acceptedShare: passed.accepted.weight / totalWeight,
      lowerBound: computeLowerBound(passed, confidence),
      minRowsForProof,
    }
  if (failed === undefined)
    return {
      ...createMissingCut(explainTooFewLabels(figure, value, minRowsForProof, largestEvidence)),
      minRowsForProof,
      missingLabels: countMissingLabels(minRowsForProof, largestEvidence),
    }
  const reason = explainFailedTest(failed, figure, computeLowerBound(failed, confidence))
  const noCut = { ...createMissingCut(reason), minRowsForProof }
  const missingLabels = estimateMissingLabels(failed, value, confidence, candidates)
  return missingLabels === undefined ? noCut : { ...noCut, missingLabels }
}

/** Creates the result for a question without a cut. */
export const createMissingCut = (reason: string): Cut => ({
  threshold: null,
  acceptedRows: 0,
  acceptedShare: 0,
  lowerBound: null,
  reason,
})

/** Computes the one-sided lower bound of the figure of a candidate. */
const computeLowerBound = ({ figure, evidence }: CutCandidate, confidence: number): number => {
  const n = evidence.effectiveRows
  // Rounding errors of the sums can lift the figure above 1.
  return clopperPearsonLower(Math.min(1, figure) * n, n, confidence)
}

/** Finds the highest value of the scale that accepts at least the share `minCoverage` of all rows. */
const chooseByCoverage = (minCoverage: number, { scale, weights }: CutSample): Cut => {
  const totalWeight = sum(weights)
  // The tolerance is for rounding errors of the sums.
  const minWeight = (minCoverage - roundingTolerance) * totalWeight
  let weight = 0
  let acceptedRows = 0
  // NaN differs from every value, so the first row is not tied with it.
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
