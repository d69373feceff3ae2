import type { Draft } from '../../codec/json/draft'
import { sanitize } from '../../text/sanitize'
import { alignTable, formatCount } from '../../text/table'
import { plainLayout, type TextLayout } from '../../text/terminal'
import { formatShare, formatShareRange, roundNumbers } from '../format-figures'
import { describeUnanswered } from '../rows/answer-counts'
import type { ShareEstimate } from '../statistics/share'
import type { QuestionShares, RunShares } from './shares'

/** Encodes the document of `svc share`: for each label the share, the part of all answered rows that has it. */
export const encodeShares = (run: RunShares): Draft =>
  roundNumbers({
    rows: run.rowCount,
    answered: run.answeredCount,
    labelled: run.labelledCount,
    questions: new Map([...run.questions].map(([id, question]) => [id, encodeQuestion(question)])),
  })

const encodeQuestion = (question: QuestionShares): Draft => {
  const { type, shares, mean, noSharesReason } = question
  return {
    type,
    rows: question.rowCount,
    unanswered: question.answerCounts.rowCount - question.rowCount,
    labelled: question.labelledCount,
    // The spread copies are only for TypeScript, which takes no interface for a `Draft`.
    shares: shares && new Map([...shares].map(([label, estimate]) => [label, { ...estimate }])),
    mean: mean && { ...mean },
    why: noSharesReason,
  }
}

/** Formats the shares for people, with a line such as `27 % are yes (24 to 30 %)` for each label. */
export const tabulateShares = (run: RunShares, layout: TextLayout = plainLayout): string => {
  const { rowCount, answeredCount, labelledCount, questions } = run
  const counts = `${formatCount(rowCount, 'row')}, ${answeredCount} answered, ${labelledCount} labelled`
  const paragraphs = [...questions].map(([id, question]) => tabulateQuestion(id, question, layout))
  return [counts, ...paragraphs].join('\n\n')
}

const tabulateQuestion = (id: string, question: QuestionShares, layout: TextLayout): string => {
  const { rowCount, labelledCount, answerCounts, shares, mean, noSharesReason } = question
  const counts = `${formatCount(rowCount, 'answered row')}, ${labelledCount} labelled`
  const lines = [sanitize(`${id}: ${counts}`)]
  const [firstShare, ...otherShares] = [...(shares ?? [])].map(formatShareCells)
  const textColumnCount = 2
  // The table has no heading: its first line is a share.
  if (firstShare !== undefined)
    lines.push(
      alignTable(textColumnCount, firstShare, otherShares, {
        ...plainLayout,
        width: layout.width,
      }),
    )
  if (mean !== undefined) lines.push(`  on average ${describeMean(mean)}`)
  if (noSharesReason !== undefined) lines.push(`  ${noSharesReason}`)
  const unanswered = describeUnanswered(answerCounts)
  if (unanswered !== '')
    lines.push(`  ${unanswered}; these figures are about the other ${rowCount}`)
  return lines.join('\n')
}

/** Formats a share in two cells: the estimate with its label, and the interval. It is exact if every answered row has a label. */
const formatShareCells = ([label, share]: readonly [
  label: string,
  share: ShareEstimate,
]): ReadonlyArray<string> => [
  `  ${formatShare(share.estimate)} are ${label}`,
  share.low === share.high ? '(exact)' : `(${formatShareRange(share)})`,
]

const describeMean = ({ estimate, low, high }: ShareEstimate): string =>
  `${estimate.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
