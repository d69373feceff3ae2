import { type CutEvidence, isProven, minCutGroups, type TestedCandidate } from './cut-evidence'

/** The number of groups or labelled rows that are missing for a cut. */
export interface MissingLabels {
  /** `groups` and `rows` are lower bounds; `estimate` is a number of rows, estimated from the labelled ones. */
  readonly kind: 'groups' | 'rows' | 'estimate'
  readonly count: number
}

/** Counts the groups or rows that are missing for any cut. `needs` is the minimum number of independent rows. */
export const countMissingLabels = (needs: number, evidence: CutEvidence): MissingLabels => {
  const { rows, effectiveRows, groups } = evidence
  if (groups !== undefined && groups < minCutGroups)
    return { kind: 'groups', count: Math.ceil(minCutGroups - groups) }
  const rowsPerEffectiveRow = effectiveRows > 0 ? Math.max(1, rows / effectiveRows) : 1
  const count = Math.ceil((needs - effectiveRows) * rowsPerEffectiveRow - 1e-9)
  return { kind: 'rows', count }
}

/** Larger estimates are not reported. */
const maxEstimate = 100_000

/**
 * Estimates the labelled rows that are missing for a cut, if the figure of the failed candidate stays as it is. `undefined` if
 * the figure is too low for any number of rows.
 */
export const estimateMissingLabels = (
  failed: TestedCandidate,
  target: number,
  confidence: number,
  tests: ReadonlyArray<TestedCandidate>,
): MissingLabels | undefined => {
  const { figure, evidence } = failed
  if (figure <= target) return undefined
  const allRows = Math.max(...tests.map(({ candidate }) => candidate.rows))
  const maxFactor = maxEstimate / allRows
  const isEnough = (factor: number): boolean => {
    const n = evidence.effectiveRows * factor
    return isProven(figure * n, n, target, confidence)
  }
  let low = 1
  let high = 2
  while (!isEnough(high)) {
    if (high > maxFactor) return undefined
    low = high
    high *= 2
  }
  for (let step = 0; step < 20; step++) {
    const middle = (low + high) / 2
    if (isEnough(middle)) high = middle
    else low = middle
  }
  return { kind: 'estimate', count: Math.ceil((high - 1) * allRows) }
}

/** Explains that a candidate failed its test. `low` is the lower bound of its figure. */
export const explainFailedTest = (
  failed: TestedCandidate,
  figureName: string,
  low: number,
  rowsAre: string,
): string => {
  const { rows, effectiveRows } = failed.evidence
  const worth = isNear(effectiveRows, rows) ? '' : ` (worth ${Math.floor(effectiveRows)})`
  return `${round(failed.figure)} of ${rows}${worth} ${rowsAre}; the lower bound of ${figureName} is ${round(low)}`
}

/** Explains that there are too few groups or rows for any cut. */
export const explainTooFewLabels = (
  figureName: string,
  target: number,
  needs: number,
  evidence: CutEvidence,
): string => {
  const { rows, effectiveRows, groups } = evidence
  if (groups !== undefined && groups < minCutGroups)
    return `a cut takes ${minCutGroups} groups, and these rows are worth ${Math.floor(groups)}`
  const available = isNear(effectiveRows, rows)
    ? `there are ${rows}`
    : `${rows} are worth ${Math.floor(effectiveRows)}`
  return `a proof of ${figureName} ${target} takes ${needs} rows, and ${available}`
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6

/** Formats a number with up to three decimals. */
const round = (value: number): string => String(Math.round(value * 1000) / 1000)
