import type { Draft } from '../../codec/json/draft'
import { sanitize } from '../../failure/text/harmless'
import { alignTable, formatCount } from '../../failure/text/table'
import { formatWholePercent, roundNumbers } from '../format-figures'
import type { ShareEstimate } from '../statistics/share'
import type { QuestionShares, RunShares } from './shares'

/** Writes the document of `svc share`. */
export const encodeShares = ({ rows, answered, labelled, questions }: RunShares): Draft =>
  roundNumbers({
    rows,
    answered,
    labelled,
    questions: new Map([...questions].map(([id, one]) => [id, describeQuestion(one)])),
  })

const describeQuestion = (question: QuestionShares): Draft => {
  const { type, rows, unanswered, labelled, shares, mean, why } = question
  return {
    type,
    rows,
    unanswered,
    labelled,
    shares: shares === null ? null : new Map([...shares].map(([id, one]) => [id, { ...one }])),
    mean: mean && { ...mean },
    why,
  }
}

/** Writes the shares for people: a sentence for each label, in words such as `27 % are yes (24 to 30 %)`. */
export const tabulateShares = ({ rows, answered, labelled, questions }: RunShares): string => {
  const counts = `${formatCount(rows, 'row')}, ${answered} answered, ${labelled} labelled`
  return [counts, ...[...questions].map(([id, one]) => tabulateQuestion(id, one))].join('\n\n')
}

const tabulateQuestion = (id: string, question: QuestionShares): string => {
  const { rows, labelled, shares, mean, why } = question
  const head = sanitize(`${id}: of ${formatCount(rows, 'answered row')}, ${labelled} labelled`)
  const lines = [...(shares ?? [])].map(([label, share]) => [
    `  ${formatWholePercent(share.estimate)} are ${label}`,
    `(${Math.round(share.low * 100)} to ${formatWholePercent(share.high)})`,
  ])
  const table = lines.length === 0 ? [] : [alignTable(2, lines[0] ?? [], lines.slice(1))]
  const average = mean === undefined ? [] : [`  on average ${describeMean(mean)}`]
  return [head, ...table, ...average, ...(why === undefined ? [] : [`  ${why}`])].join('\n')
}

const describeMean = ({ estimate, low, high }: ShareEstimate): string =>
  `${estimate.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
