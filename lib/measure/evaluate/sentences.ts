import { formatCount } from '../../text/table'
import { formatShare, formatShareRange } from '../format-figures'
import { describeRowsForPerson } from '../rows/answer-counts'
import { sum, weightedMean } from '../statistics/numbers'
import { accuracyOf, type QuestionFigures } from './figures'
import { describeAgreement } from './label-agreement'

/**
 * Describes in sentences the accuracy of a question's answers, how many of a rare yes they find, the rows without an answer, the accuracy
 * of always giving the most common label, and how often people gave the same label when a row was shown twice.
 */
export const describeInWords = (question: QuestionFigures): string =>
  question.labelledRows === 0
    ? 'No row has a label.'
    : [
        describeAccuracy(question),
        describeRareYes(question),
        finishSentence(describeRowsForPerson(question.rows.answerCounts)),
        describeBaseline(question),
        describeAgreement(question.agreement),
      ]
        .filter((sentence) => sentence !== '')
        .join(' ')

/** Describes how many decisions are right, and the interval of their share. */
const describeAccuracy = (question: QuestionFigures): string => {
  const { labelledRows, rows } = question
  const { accuracy, interval, noIntervalReason } = accuracyOf(question)
  if (accuracy === null)
    return `${formatCount(labelledRows, 'row', 'has', 'have')} labels, but without probabilities svc cannot tell which level an answer decides for.`
  const rightCount = sum(rows.right)
  const range =
    interval === undefined
      ? `no interval: ${noIntervalReason}`
      : `surely ${formatShareRange(interval)}`
  const counts = `Right in ${rightCount} of ${formatCount(labelledRows, 'row')}`
  const percent = formatShare(accuracy)
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
    : `Always answering "${label}" would be right in ${formatShare(accuracy)}.`

/** The share of yes labels below which a yes is rare: nearly all answers are then right if all are no. */
const maxRareShare = 0.1

/** Describes how many of the rows that are a yes have this answer. Empty unless a yes is rare. */
const describeRareYes = ({ type, rows }: QuestionFigures): string => {
  const { truth, right, weights } = rows
  if (type !== 'noul' || weightedMean(truth, weights) >= maxRareShare) return ''
  const yesCount = sum(truth)
  if (yesCount === 0) return ''
  let foundCount = 0
  for (let i = 0; i < truth.length; i++) if (truth[i] === 1 && right[i] === 1) foundCount++
  return `It finds ${foundCount} of ${formatCount(yesCount, 'row', 'that is a yes', 'that are a yes')}.`
}

/** Adds the full stop to a sentence. An empty text stays empty. */
const finishSentence = (text: string): string => (text === '' ? '' : `${text}.`)
