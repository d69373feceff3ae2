import { formatCount } from '../../text/table'
import { formatShare } from '../format-figures'
import { type AnswerCounts, shareOfAllRows } from '../rows/answer-counts'
import type { CandidateTests, Cut, CutTarget, TestedCandidate } from '../statistics/cuts'
import { findSampleGrowth, maxMoreRows } from '../statistics/sample-growth'

/** The labelled rows of a question, and all rows of the run. */
export interface LabelledCounts {
  readonly labelledCount: number
  readonly answerCounts: AnswerCounts
  /** The minimum number of labels that are missing for any map, and so for any cut. Default: 1. */
  readonly minMoreRows?: number
}

/**
 * Describes what a target without a cut lacks: more labels, with the rows that may then pass, or more right answers. `tests` are
 * those of the target.
 */
export const describeMissingEvidence = (
  { figure }: CutTarget,
  tests: CandidateTests,
  counts: LabelledCounts,
): string => {
  const { candidates, targetValue } = tests
  // A candidate for a recall leaves out few rows, so it is not about the surest ones.
  const nameSubject = (candidate: TestedCandidate): string =>
    figure === 'recall' ? 'a cut' : nameRows(candidate, candidates, counts)
  const growth = findSampleGrowth(tests, counts.labelledCount, counts.minMoreRows)
  if (growth !== undefined) {
    const { candidate, moreRows } = growth
    const verb = figure === 'recall' ? 'may hold' : 'may pass'
    const labels = formatCount(Number(moreRows.toPrecision(2)), 'more label')
    const { effectiveGroups } = candidate.evidence
    // Groups grow in number, not in size, because more rows of the same groups are little evidence.
    const groups =
      effectiveGroups === undefined
        ? ''
        : ` in ${formatCount(Math.ceil((effectiveGroups * moreRows) / counts.labelledCount), 'more group')}`
    return `${nameSubject(candidate)} ${verb} with about ${labels}${groups}`
  }
  const rightEnough = candidates.find((candidate) => candidate.figure > targetValue)
  if (rightEnough !== undefined)
    return `${nameSubject(rightEnough)} may take more than ${maxMoreRows.toLocaleString('en')} more labels`
  const [surest] = candidates
  if (surest === undefined || figure === 'recall') return 'no labelled row is a yes'
  const kind = figure === 'precision' ? 'a yes' : 'right'
  return `even of ${nameSubject(surest)}, only ${formatShare(surest.figure)} are ${kind}`
}

/** Names the rows that a candidate accepts, as a share of all rows of the run. The last of the candidates accepts all answered rows. */
const nameRows = (
  { accepted }: TestedCandidate,
  candidates: ReadonlyArray<TestedCandidate>,
  { answerCounts }: LabelledCounts,
): string => {
  const share = accepted.weight / (candidates.at(-1)?.accepted.weight ?? accepted.weight)
  if (share === 1)
    return answerCounts.answeredCount === answerCounts.rowCount ? 'all rows' : 'all answered rows'
  const shareOfAll = shareOfAllRows(share, answerCounts)
  return formatShare(shareOfAll) === '10 %'
    ? 'the surest tenth of rows'
    : `the surest ${formatShare(shareOfAll)} of rows`
}

/** The lower targets that are tried if a target has no cut, the highest first. */
const lowerTargets = [0.98, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5]

/** A question with its map, whose cuts are chosen. */
interface CutChooser {
  readonly chooseCut: (target: CutTarget) => Cut
  readonly testCandidates: (target: CutTarget) => CandidateTests
}

/**
 * Describes, for a target without a cut, the highest lower target that has one today, or says that none has, and then what the target
 * lacks. Empty for a coverage, which always has a cut.
 */
export const describeLowerTarget = (
  target: CutTarget,
  { chooseCut, testCandidates }: CutChooser,
  counts: LabelledCounts,
): string => {
  if (target.figure === 'coverage') return ''
  const missing = `${target.figure} ${target.value}: ${describeMissingEvidence(target, testCandidates(target), counts)}`
  for (const value of lowerTargets.filter((lower) => lower < target.value)) {
    const { threshold, acceptedShare } = chooseCut({ ...target, value })
    if (threshold === null) continue
    const passing = formatShare(shareOfAllRows(acceptedShare, counts.answerCounts))
    return `; ${target.figure} ${value} holds today and accepts ${passing} of rows; ${missing}`
  }
  return `; no lower target holds today; ${missing}`
}
