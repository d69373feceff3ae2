import { incompleteBeta } from './beta'
import type { Numbers } from './numbers'
import type { AcceptedRows } from './thresholds'
import { computeDesignEffect, measureGroupSpread, type Units } from './units'

/** The number of thresholds that are tested for a cut. They do not depend on the labels. */
export const candidateCount = 10

/** A cut needs at least this effective number of groups. */
export const minCutGroups = 30

/** The rows that a figure is computed from, as evidence for the figure. */
export interface CutEvidence {
  readonly rows: number
  /** The number of independent rows of equal weight that give as much evidence. */
  readonly effectiveRows: number
  /** The effective number of groups, (Σm)²/Σm² with m rows in a group; `undefined` if rows have no groups. */
  readonly groups: number | undefined
}

/** A candidate for a cut, the figure of the target at the candidate, and the evidence for the figure. */
export interface TestedCandidate {
  readonly candidate: AcceptedRows
  readonly figure: number
  readonly evidence: CutEvidence
}

/**
 * Computes the minimum number of rows that can prove a target, ⌈ln(1 − confidence) / ln(target)⌉. With fewer rows, not even a
 * sample without errors proves it.
 */
export const computeMinRowsForProof = (target: number, confidence: number): number =>
  Math.ceil(Math.log(1 - confidence) / Math.log(target) - 1e-9)

/**
 * Computes the minimum number of rows of a candidate that is tested: a quarter of all rows, but at least `needs` and at most
 * four times `needs`. Candidates with fewer rows are likely to fail by chance, and the first failure ends the tests. `all` is
 * the effective number of all rows.
 */
export const computeMinTestedRows = (needs: number, all: number): number =>
  Math.max(needs, Math.min(4 * needs, all / 4))

/** Returns true if the lower bound of a share with `successes` in `n` rows reaches the target. */
export const isProven = (
  successes: number,
  n: number,
  target: number,
  confidence: number,
): boolean =>
  successes > 0 && incompleteBeta(target, successes, n - successes + 1) <= 1 - confidence

/** How to compute the design effect of rows in groups. */
interface GroupCorrection {
  /** The correlation within groups if that of the rows is undefined. */
  readonly fallbackCorrelation?: number | undefined
  /** Replaces the design effect of the rows. */
  readonly designEffect?: number
}

/**
 * Measures the evidence of the rows at `indexes`. The effective number of rows is Kish's for the weights (`kish`), divided by
 * the design effect of groups, and at most the number of rows. Korn and Graubard, Survey Methodology 24 (1998).
 */
export const measureCutEvidence = (
  kish: number,
  right: Numbers,
  units: Units,
  indexes: Numbers,
  correction: GroupCorrection,
): CutEvidence => {
  if (!units.isGrouped) return { rows: indexes.length, effectiveRows: kish, groups: undefined }
  const spread = measureGroupSpread(right, units, indexes)
  const { rows, sumOfSquaredSizes } = spread
  const designEffect =
    correction.designEffect ?? computeDesignEffect(spread, correction.fallbackCorrelation)
  return {
    rows,
    effectiveRows: Math.min(kish / designEffect, rows),
    groups: rows === 0 ? 0 : rows ** 2 / sumOfSquaredSizes,
  }
}
