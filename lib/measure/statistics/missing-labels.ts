import {
  type CutCandidate,
  type CutEvidence,
  computeMinGroups,
  isProven,
  roundingTolerance,
} from './cut-evidence'

// A cut is a threshold whose figure is proven to reach its target. A candidate is a threshold that is tested as a cut.

/** The labels that are missing for a cut. */
export interface MissingLabels {
  /**
   * `groups`: at least `count` more groups are needed. `rows`: at least `count` more labelled rows are needed. `estimate`: about
   * `count` more labelled rows are needed, by an estimate from the labelled ones.
   */
  readonly kind: 'groups' | 'rows' | 'estimate'
  readonly count: number
}

/** Counts the groups or rows that are missing for any cut. `evidence` is the largest evidence of a candidate. */
export const countMissingLabels = (
  minRowsForProof: number,
  evidence: CutEvidence,
): MissingLabels => {
  const { rowCount, effectiveRows, effectiveGroups } = evidence
  const minGroups = computeMinGroups(minRowsForProof)
  if (effectiveGroups !== undefined && effectiveGroups < minGroups)
    return { kind: 'groups', count: Math.ceil(minGroups - effectiveGroups) }
  const rowsPerEffectiveRow = effectiveRows > 0 ? Math.max(1, rowCount / effectiveRows) : 1
  const count = Math.ceil(
    (minRowsForProof - effectiveRows) * rowsPerEffectiveRow - roundingTolerance,
  )
  return { kind: 'rows', count }
}

/**
 * The search for the number of missing rows ends above this number. An estimate can be larger, since the search doubles the number of
 * rows before it checks the limit.
 */
const maxEstimatedRows = 100_000

/**
 * Estimates the labelled rows that are missing for a cut, if the figure of the failed candidate stays as it is. `undefined` if
 * the figure is too low for any number of rows, or if the estimate is much larger than `maxEstimatedRows`.
 */
export const estimateMissingLabels = (
  failed: CutCandidate,
  target: number,
  confidence: number,
  candidates: ReadonlyArray<CutCandidate>,
): MissingLabels | undefined => {
  const { figure, evidence } = failed
  if (figure <= target) return undefined
  // The candidate that accepts most rows usually accepts all labelled rows. If the failed candidate needs twice as many rows, so do
  // all labelled rows together.
  const maxAcceptedRows = Math.max(...candidates.map(({ accepted }) => accepted.rowCount))
  const maxFactor = maxEstimatedRows / maxAcceptedRows
  const isProvenBy = (factor: number): boolean => {
    const n = evidence.effectiveRows * factor
    return isProven(figure * n, n, target, confidence)
  }
  // The smallest factor by which the number of rows must grow is above `low` and at most `high`.
  let low = 1
  let high = 2
  while (!isProvenBy(high)) {
    if (high > maxFactor) return undefined
    low = high
    high *= 2
  }
  // 20 halvings find the factor to a millionth of its size.
  for (let step = 0; step < 20; step++) {
    const middle = (low + high) / 2
    if (isProvenBy(middle)) high = middle
    else low = middle
  }
  return { kind: 'estimate', count: Math.ceil((high - 1) * maxAcceptedRows) }
}

/** Explains that a candidate failed its test, for example "0.9 of 60 accepted rows are right; the lower bound of accuracy is 0.81". */
export const explainFailedTest = (
  failed: CutCandidate,
  figureName: string,
  lowerBound: number,
): string => {
  const { rowCount, effectiveRows } = failed.evidence
  // If each row counts as one, their worth is their number and is not repeated.
  const worth = isNear(effectiveRows, rowCount) ? '' : ` (worth ${Math.floor(effectiveRows)})`
  const rowsInWords =
    figureName === 'recall' ? 'rows that are a yes are found' : 'accepted rows are right'
  return `${formatDecimals(failed.figure)} of ${rowCount}${worth} ${rowsInWords}; the lower bound of ${figureName} is ${formatDecimals(lowerBound)}`
}

/** Explains that there are too few groups or rows for any cut. */
export const explainTooFewLabels = (
  figureName: string,
  target: number,
  minRowsForProof: number,
  evidence: CutEvidence,
): string => {
  const { rowCount, effectiveRows, effectiveGroups } = evidence
  const minGroups = computeMinGroups(minRowsForProof)
  if (effectiveGroups !== undefined && effectiveGroups < minGroups)
    return `a cut takes ${minGroups} groups, and these rows are worth ${Math.floor(effectiveGroups)}`
  const available = isNear(effectiveRows, rowCount)
    ? `there are ${rowCount}`
    : `${rowCount} are worth ${Math.floor(effectiveRows)}`
  return `a proof of ${figureName} ${target} takes ${minRowsForProof} rows, and ${available}`
}

/** Returns `true` if two numbers of rows differ only by rounding errors. */
const isNear = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6

/** Formats a number with at most three decimals. */
const formatDecimals = (value: number): string => String(Math.round(value * 1000) / 1000)
