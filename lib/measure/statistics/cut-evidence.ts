import { incompleteBeta } from './beta'
import type { AcceptedRows } from './thresholds'
import { computeDesignEffect, type GroupSpread } from './units'

// A cut is a threshold: answers at or above it are accepted. A target is the value that a figure of the accepted rows, such as their
// accuracy, must reach. `chooseCut` tests candidates for a cut one after the other. The first that fails ends the tests.

/** The maximum number of candidates for a cut. Their thresholds do not depend on the labels. */
export const candidateCount = 10

/**
 * The maximum number of candidates for a cut that must reach a recall. There are many, because a rare yes is found by the few rows with
 * the highest probabilities.
 */
export const recallCandidateCount = 100

/** The minimum effective number of groups for any cut. */
const minCutGroups = 30

/** Returns the minimum effective number of groups for a cut: as many as rows without groups, and at least 30. */
export const computeMinGroups = (minRowsForProof: number): number =>
  Math.max(minCutGroups, minRowsForProof)

/** The rows that a figure is computed from, as evidence for the figure. */
export interface CutEvidence {
  readonly rowCount: number
  /** The number of independent rows of equal weight that give as much evidence as these rows. */
  readonly effectiveRows: number
  /** The effective number of groups, (Σm)²/Σm² with m rows in a group; `undefined` if rows have no groups. */
  readonly effectiveGroups: number | undefined
}

/** A candidate for a cut: the rows that its threshold accepts, the figure of the target, and the evidence for the figure. */
export interface CutCandidate {
  readonly accepted: AcceptedRows
  readonly figure: number
  readonly evidence: CutEvidence
}

/** Allows for rounding errors when numbers of rows are compared. */
export const roundingTolerance = 1e-9

/**
 * Computes the minimum number of rows that can prove a target, ⌈ln(1 − confidence) / ln(target)⌉: the smallest n with
 * targetⁿ ≤ 1 − confidence. With fewer rows, not even a sample without errors proves the target.
 */
export const computeMinRowsForProof = (target: number, confidence: number): number =>
  Math.ceil(Math.log(1 - confidence) / Math.log(target) - roundingTolerance)

/**
 * Computes the minimum number of rows of a candidate that is tested: a quarter of all rows, but at least
 * `minRowsForProof` and at most four times as many. A candidate with fewer rows is likely to fail by chance, and would end the tests
 * too early. `totalRows` is the effective number of all rows.
 */
export const computeMinTestedRows = (minRowsForProof: number, totalRows: number): number =>
  Math.max(minRowsForProof, Math.min(4 * minRowsForProof, totalRows / 4))

/** Returns `true` if the lower bound of a share with `successes` in `n` rows reaches the target. Both can be effective numbers. */
export const isProven = (
  successes: number,
  n: number,
  target: number,
  confidence: number,
): boolean =>
  successes > 0 && incompleteBeta(target, successes, n - successes + 1) <= 1 - confidence

/**
 * Measures the evidence of rows. The effective number of rows is Kish's effective size, divided by the design effect of groups, and at
 * most the number of rows. Without groups, `spread` is `undefined`. `fallbackCorrelation` replaces a correlation that cannot be measured,
 * because the rows are all hits, or none is. Default: 1. Korn and Graubard, Survey Methodology 24 (1998).
 */
export const measureCutEvidence = (
  rowCount: number,
  kishSize: number,
  spread: GroupSpread | undefined,
  fallbackCorrelation: number | undefined,
): CutEvidence => {
  if (spread === undefined)
    return { rowCount, effectiveRows: Math.min(kishSize, rowCount), effectiveGroups: undefined }
  const designEffect = computeDesignEffect(spread, fallbackCorrelation)
  return {
    rowCount,
    effectiveRows: Math.min(kishSize / designEffect, rowCount),
    effectiveGroups: rowCount === 0 ? 0 : rowCount ** 2 / spread.sumOfSquaredSizes,
  }
}
