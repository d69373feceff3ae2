import { formatCount } from '../../text/table'

/** The rows of a run by their outcome for one question. Repetitions of a row are not counted. */
export interface AnswerCounts {
  readonly rowCount: number
  /** The number of rows with an answer to the question. */
  readonly answeredCount: number
  /** The number of rows in which the model refused the question. */
  readonly refusedCount: number
  /** The number of rows without any answer. */
  readonly failedCount: number
}

/** Returns the share of all rows for a share of the rows with an answer. */
export const shareOfAllRows = (
  shareOfAnswered: number,
  { rowCount, answeredCount }: AnswerCounts,
): number => (shareOfAnswered * answeredCount) / rowCount

/**
 * Describes the rows without an answer to a question, for example `60 of 200 rows were refused, and 5 failed`. Empty if every row has
 * one.
 */
export const describeUnanswered = (counts: AnswerCounts): string => {
  const { rowCount, answeredCount, refusedCount, failedCount } = counts
  const otherCount = rowCount - answeredCount - refusedCount - failedCount
  const kinds = [
    { count: refusedCount, one: 'was refused', several: 'were refused' },
    { count: failedCount, one: 'failed', several: 'failed' },
    { count: otherCount, one: 'lacks this answer', several: 'lack this answer' },
  ].filter(({ count }) => count > 0)
  return kinds
    .map(({ count, one, several }, i) => {
      const subject = i === 0 ? `${count} of ${formatCount(rowCount, 'row')}` : `and ${count}`
      return `${subject} ${count === 1 ? one : several}`
    })
    .join(', ')
}

/** Describes the rows without an answer to a question, and that they go to a person. Empty if every row has an answer. */
export const describeRowsForPerson = (counts: AnswerCounts): string => {
  const unanswered = describeUnanswered(counts)
  if (unanswered === '') return ''
  const isOne = counts.rowCount - counts.answeredCount === 1
  return `${unanswered}; ${isOne ? 'it goes' : 'they go'} to a person`
}
