import {
  calibrateQuestion,
  createCutSample,
  defaultCalibration,
  minLabelledRows,
} from '../calibrate/calibrate'
import { describeMissingEvidence } from '../calibrate/target-advice'
import { formatShare } from '../format-figures'
import { shareOfAllRows } from '../rows/answer-counts'
import { explainAnswersWithoutProbabilities, type LabelledRows } from '../rows/labelled-run'
import { type CutTarget, testCandidates } from '../statistics/cuts'

const describedTargets = [0.8, 0.9, 0.95, 0.98].map(
  (value): CutTarget => ({ figure: 'accuracy', value }),
)

/** The rows that can pass without a person. */
export interface PassingRows {
  /** A line for each accuracy, or one line if svc cannot tell which rows pass. Empty if no row has a label. */
  readonly lines: ReadonlyArray<string>
  /** The share of all rows that pass if 95 % of them must be right: 0 if none pass, and null if svc cannot tell. */
  readonly shareAt95: number | null
}

/** Formats the share of rows that pass at 95 % for the cell of a table. */
export const formatPassingShare = ({ shareAt95 }: PassingRows): string => {
  if (shareAt95 === null) return '–'
  return shareAt95 === 0 ? 'none' : formatShare(shareAt95)
}

/**
 * Finds for several accuracies how many of all rows can pass without a person, or what is missing. It is the cut that `svc calibrate`
 * finds with its defaults, which may correct the probabilities: then the first line says so.
 */
export const findPassingRows = (rows: LabelledRows): PassingRows => {
  if (rows.truth.length === 0) return { lines: [], shareAt95: null }
  if (explainAnswersWithoutProbabilities(rows) !== undefined)
    return {
      lines: ['without probabilities svc cannot tell which answers are sure'],
      shareAt95: null,
    }
  const question = calibrateQuestion(rows)
  if (question.map === null)
    return { lines: describeWithoutMap(rows, question.reason), shareAt95: 0 }
  const { answerCounts } = rows
  const counts = { labelledCount: rows.truth.length, answerCounts }
  let shareAt95 = 0
  const lines = describedTargets.map((target) => {
    const { threshold, acceptedShare } = question.chooseCut(target)
    const passingShare = threshold === null ? 0 : shareOfAllRows(acceptedShare, answerCounts)
    if (target.value === 0.95) shareAt95 = passingShare
    const passing =
      threshold === null
        ? `none today; ${describeMissingEvidence(target, question.testCandidates(target), counts)}`
        : `${formatShare(passingShare)} of rows pass without a person today`
    return `${formatShare(target.value)} right: ${passing}`
  })
  const { method } = question.map
  return { lines: method === 'none' ? lines : [describeCorrection(rows), ...lines], shareAt95 }
}

/** Describes that the lines below are about corrected probabilities, with which a yes/no question (`noul`) can have other decisions. */
const describeCorrection = ({ type }: LabelledRows): string =>
  type === 'noul'
    ? 'with probabilities that svc calibrate corrects, and so other decisions:'
    : 'with probabilities that svc calibrate corrects:'

/** Describes a question that `svc calibrate` makes no map for, so that no rows pass. */
const describeWithoutMap = (rows: LabelledRows, reason: string): ReadonlyArray<string> => {
  const { answerCounts, probabilities } = rows
  const labelledCount = rows.truth.length
  if (labelledCount >= minLabelledRows) return [`no rows pass without a person: ${reason}`]
  const sample = createCutSample(rows, 'accuracy', probabilities)
  const counts = { labelledCount, answerCounts, minMoreRows: minLabelledRows - labelledCount }
  return describedTargets.map((target) => {
    const tests = testCandidates(target, defaultCalibration.confidence, sample)
    return `${formatShare(target.value)} right: none today; ${describeMissingEvidence(target, tests, counts)}`
  })
}
