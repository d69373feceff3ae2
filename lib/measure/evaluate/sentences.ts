import { formatCount } from '../../text/table'
import { createCutSample } from '../calibrate/calibrate'
import { describePassingShares } from '../calibrate/target-advice'
import { formatWholePercent } from '../format-figures'
import { explainAnswersWithoutProbabilities, type LabelledRows } from '../rows/labelled-run'
import { sum } from '../statistics/numbers'
import { accuracyOf, type QuestionFigures } from './figures'
import { describeAgreement } from './label-agreement'

/**
 * Describes in sentences the accuracy of a question's answers, the accuracy of always giving the most common label, and how
 * often people gave the same label when a row was shown twice.
 */
export const describeInWords = (question: QuestionFigures): string =>
  question.labelledRows === 0
    ? 'No row has a label.'
    : [
        describeAccuracy(question),
        describeBaseline(question),
        describeAgreement(question.agreement),
      ]
        .filter((sentence) => sentence !== '')
        .join(' ')

/** Describes for several accuracies the share of rows that can pass without a person. Empty if no row has a label. */
export const describePassingRows = (rows: LabelledRows): ReadonlyArray<string> => {
  if (rows.truth.length === 0) return []
  const hasAllProbabilities = explainAnswersWithoutProbabilities(rows) === undefined
  if (!hasAllProbabilities) return ['without probabilities svc cannot tell which answers are sure']
  return describePassingShares(createCutSample(rows, 'accuracy', rows.probabilities))
}

/** Describes how many decisions are right, and the interval of their share. */
const describeAccuracy = (question: QuestionFigures): string => {
  const { labelledRows, rows } = question
  const { accuracy, interval } = accuracyOf(question)
  if (accuracy === null)
    return `${formatCount(labelledRows, 'row', 'has', 'have')} labels, but without probabilities svc cannot tell which level an answer decides for.`
  const rightCount = sum(rows.right)
  const range =
    interval === undefined
      ? 'too few rows for an interval'
      : `surely ${formatWholePercent(interval.low)} to ${formatWholePercent(interval.high)}`
  const counts = `Right in ${rightCount} of ${formatCount(labelledRows, 'row')}`
  const percent = formatWholePercent(accuracy)
  // Weights change the accuracy only if right and wrong rows were drawn with different probabilities. Only then does the sentence tell
  // the sample from the whole run. The tolerance is for rounding errors.
  const differsFromSample = Math.abs(rightCount / labelledRows - accuracy) > 1e-9
  return differsFromSample
    ? `${counts} of the sample, ${percent} of the whole run (${range}).`
    : `${counts} (${percent}, ${range}).`
}

/** Describes the accuracy of always giving the most common label; empty if it is unknown. */
const describeBaseline = ({ baseline: { label, accuracy } }: QuestionFigures): string =>
  label === null || accuracy === null
    ? ''
    : `Always answering "${label}" would be right in ${formatWholePercent(accuracy)}.`
