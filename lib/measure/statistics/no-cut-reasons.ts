import { type CutCandidate, type CutEvidence, computeMinGroups } from './cut-evidence'

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
