import {
  type CutSample,
  listAccuracyCandidates,
  listPrecisionCandidates,
  listRecallCandidates,
} from './cut-candidates'
import {
  type CutCandidate,
  type CutEvidence,
  computeMinGroups,
  computeMinRowsForProof,
  computeMinTestedRows,
  isProven,
  roundingTolerance,
} from './cut-evidence'
import { clopperPearsonLower } from './intervals'
import { explainFailedTest, explainTooFewLabels } from './no-cut-reasons'
import { sortDescending, sum, weightedMean } from './numbers'

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
}

/**
 * Chooses a cut on a scale. For a coverage, the cut is the highest threshold that accepts enough rows. For another figure, candidates
 * are tested in an order that does not depend on the labels. Each test compares a one-sided lower bound with the target. The first
 * failure ends the tests, and the last candidate that passed is the cut.
 * Tests in a fixed order need no correction for multiple testing (Maurer, Hothorn and Lehmacher 1995): the cut misses its
 * target in at most 1 − confidence of samples.
 */
export const chooseCut = (target: CutTarget, confidence: number, sample: CutSample): Cut =>
  target.figure === 'coverage'
    ? chooseByCoverage(target.value, sample)
    : chooseTestedCut(target, confidence, sample)

/** A candidate for a cut after its test. */
export interface TestedCandidate extends CutCandidate {
  /** `skipped`: it accepts too few rows or groups for a test. `untested`: a candidate before it failed. */
  readonly result: 'passed' | 'failed' | 'skipped' | 'untested'
}

/** The candidates of a target in the order of the tests. */
export interface CandidateTests {
  readonly candidates: ReadonlyArray<TestedCandidate>
  /** The value that the figure must reach. */
  readonly targetValue: number
  readonly confidence: number
  /** The minimum number of rows that can prove the target. */
  readonly minRowsForProof: number
  /** The effective number of rows that the size of a candidate is compared with: a tested one has a quarter of them, within limits. */
  readonly comparedRows: number
}

/**
 * Tests the candidates of a target: for precision and accuracy, beginning with the highest threshold, which is the likeliest to pass;
 * for recall, beginning with the lowest threshold, which finds every yes. The target must not be a coverage, which is counted.
 */
export const testCandidates = (
  target: CutTarget,
  confidence: number,
  sample: CutSample,
): CandidateTests => {
  const minRowsForProof = computeMinRowsForProof(target.value, confidence)
  const minGroups = computeMinGroups(minRowsForProof)
  const { candidates, comparedRows } = listCandidates(target.figure, sample)
  const minRows = computeMinTestedRows(minRowsForProof, comparedRows)
  let hasFailed = false
  const tested = candidates.map((candidate): TestedCandidate => {
    const { effectiveRows, effectiveGroups = Number.POSITIVE_INFINITY } = candidate.evidence
    if (hasFailed) return { ...candidate, result: 'untested' }
    if (effectiveRows < minRows - roundingTolerance || effectiveGroups < minGroups)
      return { ...candidate, result: 'skipped' }
    hasFailed = !isProven(countHits(candidate), effectiveRows, target.value, confidence)
    return { ...candidate, result: hasFailed ? 'failed' : 'passed' }
  })
  const targetValue = target.value
  return { candidates: tested, targetValue, confidence, minRowsForProof, comparedRows }
}

/** Lists the candidates of a figure in the order of the tests. `comparedRows` is as in `CandidateTests`. */
const listCandidates = (
  figure: CutTarget['figure'],
  sample: CutSample,
): { readonly candidates: ReadonlyArray<CutCandidate>; readonly comparedRows: number } => {
  // Every candidate for a recall has the same rows as evidence, so none is too small to be tested.
  if (figure === 'recall') return { candidates: listRecallCandidates(sample), comparedRows: 0 }
  const candidates =
    figure === 'precision' ? listPrecisionCandidates(sample) : listAccuracyCandidates(sample)
  // The last candidate accepts all rows. Without rows there is none.
  const effectiveRows = candidates.at(-1)?.evidence.effectiveRows ?? 0
  // A precision is about the yes, so the size of a candidate is compared with the expected number of yes.
  const comparedRows =
    figure === 'precision'
      ? effectiveRows * weightedMean(sample.scale, sample.weights)
      : effectiveRows
  return { candidates, comparedRows }
}

/** Chooses the last candidate that passes its test. If none passes, explains the reason. */
const chooseTestedCut = (target: CutTarget, confidence: number, sample: CutSample): Cut => {
  const { figure, value } = target
  const { candidates, minRowsForProof } = testCandidates(target, confidence, sample)
  const passed = candidates.findLast(({ result }) => result === 'passed')
  if (passed !== undefined)
    return {
      threshold: passed.accepted.threshold,
      acceptedRows: passed.accepted.rowCount,
      acceptedShare: passed.accepted.weight / sum(sample.weights),
      lowerBound: computeLowerBound(passed, confidence),
      minRowsForProof,
    }
  const failed = candidates.find(({ result }) => result === 'failed')
  if (failed === undefined) {
    const evidence = findLargestEvidence(candidates)
    return {
      ...createMissingCut(explainTooFewLabels(figure, value, minRowsForProof, evidence)),
      minRowsForProof,
    }
  }
  const reason = explainFailedTest(failed, figure, computeLowerBound(failed, confidence))
  return { ...createMissingCut(reason), minRowsForProof }
}

/** Finds the largest evidence of the candidates. Without candidates, it is that of no rows. */
const findLargestEvidence = (candidates: ReadonlyArray<CutCandidate>): CutEvidence => {
  let largest: CutEvidence = { rowCount: 0, effectiveRows: 0, effectiveGroups: undefined }
  for (const { evidence } of candidates)
    if (evidence.effectiveRows >= largest.effectiveRows) largest = evidence
  return largest
}

/** Creates the result for a question without a cut. */
export const createMissingCut = (reason: string): Cut => ({
  threshold: null,
  acceptedRows: 0,
  acceptedShare: 0,
  lowerBound: null,
  reason,
})

/** Returns the effective number of hits of a candidate. Rounding errors of the sums can lift the figure above 1. */
const countHits = ({ figure, evidence }: CutCandidate): number =>
  Math.min(1, figure) * evidence.effectiveRows

/** Computes the one-sided lower bound of the figure of a candidate. */
export const computeLowerBound = (candidate: CutCandidate, confidence: number): number =>
  clopperPearsonLower(countHits(candidate), candidate.evidence.effectiveRows, confidence)

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
