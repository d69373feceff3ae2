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

/**
 * Describes for several accuracies how many of all rows can pass without a person, or what is missing. It is the cut that `svc
 * calibrate` finds with its defaults, which may correct the probabilities: then the first line says so. Returns a line for each accuracy,
 * or one line if svc cannot tell which rows pass. Empty if no row has a label.
 */
export const describePassingRows = (rows: LabelledRows): ReadonlyArray<string> => {
  if (rows.truth.length === 0) return []
  if (explainAnswersWithoutProbabilities(rows) !== undefined)
    return ['without probabilities svc cannot tell which answers are sure']
  const question = calibrateQuestion(rows)
  if (question.map === null) return describeWithoutMap(rows, question.reason)
  const { answerCounts } = rows
  const counts = { labelledCount: rows.truth.length, answerCounts }
  const lines = describedTargets.map((target) => {
    const { threshold, acceptedShare } = question.chooseCut(target)
    const passing =
      threshold === null
        ? `none today; ${describeMissingEvidence(target, question.testCandidates(target), counts)}`
        : `${formatShare(shareOfAllRows(acceptedShare, answerCounts))} of rows pass without a person today`
    return `${formatShare(target.value)} right: ${passing}`
  })
  return question.map.method === 'none' ? lines : [describeCorrection(rows), ...lines]
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
