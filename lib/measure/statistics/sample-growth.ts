import { computeMinGroups, computeMinTestedRows, isProven, roundingTolerance } from './cut-evidence'
import type { CandidateTests, TestedCandidate } from './cuts'

/** The growth of a sample with which a target without a cut may get one. */
export interface SampleGrowth {
  /** The candidate that is tested first in the larger sample, and passes. */
  readonly candidate: TestedCandidate
  /** The number of further labelled rows, in further groups if rows have groups. */
  readonly moreRows: number
}

/** The maximum number of further labelled rows that is looked for. */
export const maxMoreRows = 10_000

/**
 * Finds the smallest number of further labelled rows with which the first tested candidate passes, if the shares of the candidates stay
 * as they are. Above 100 rows it is found to one percent. `undefined` if it is above `maxMoreRows`. `rowCount` is the number of labelled
 * rows. The search begins at `minMoreRows`. Call it only if no candidate has passed.
 */
export const findSampleGrowth = (
  tests: CandidateTests,
  rowCount: number,
  minMoreRows = 1,
): SampleGrowth | undefined => {
  for (let moreRows = minMoreRows; moreRows <= maxMoreRows; moreRows += Math.ceil(moreRows / 100)) {
    const candidate = findPassing(tests, (rowCount + moreRows) / rowCount)
    if (candidate !== undefined) return { candidate, moreRows }
  }
  return undefined
}

/** Returns the first candidate that is tested in a sample that is larger by `factor`, if it passes its test. */
const findPassing = (
  { candidates, targetValue, confidence, minRowsForProof, comparedRows }: CandidateTests,
  factor: number,
): TestedCandidate | undefined => {
  const minRows = computeMinTestedRows(minRowsForProof, comparedRows * factor)
  const minGroups = computeMinGroups(minRowsForProof)
  const first = candidates.find(({ evidence }) => {
    const { effectiveRows, effectiveGroups = Number.POSITIVE_INFINITY } = evidence
    return (
      effectiveRows * factor >= minRows - roundingTolerance && effectiveGroups * factor >= minGroups
    )
  })
  if (first === undefined) return undefined
  const n = first.evidence.effectiveRows * factor
  const isPassed = isProven(Math.min(1, first.figure) * n, n, targetValue, confidence)
  return isPassed ? first : undefined
}
