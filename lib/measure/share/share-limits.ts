import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import { createUnknownNameFailure, type Limit } from '../evaluate/figure-limits'
import type { ShareEstimate } from '../statistics/share'
import type { QuestionShares, RunShares } from './shares'

/**
 * Describes each limit that the shares do not meet. `--min` is compared with the lower end of a share's interval, `--max` with
 * the upper end. Fails with a usage error if a limit names an unknown question or label.
 */
export const findUnmetShares = (
  limits: ReadonlyArray<Limit>,
  shares: RunShares,
): E.Either<Failure, ReadonlyArray<string>> => {
  const unmet: string[] = []
  for (const limit of limits) {
    const reason = checkShareLimit(limit, shares)
    if (E.isLeft(reason)) return reason
    if (reason.right !== undefined) unmet.push(`${limit.flag} ${limit.text} (${reason.right})`)
  }
  return E.right(unmet)
}

/** Explains why a limit is not met; `undefined` if it is met. */
const checkShareLimit = (
  limit: Limit,
  { questions }: RunShares,
): E.Either<Failure, string | undefined> => {
  const { question: id, figure } = limit
  const question = questions.get(id)
  if (question === undefined)
    return E.left(createUnknownNameFailure(limit, 'question', id, [...questions.keys()]))
  const shares = listShares(question)
  const share = shares.get(figure)
  if (share !== undefined) return E.right(explainUnmetShare(limit, share))
  return question.shares === null
    ? E.right(`${figure} is null: ${question.why}`)
    : E.left(createUnknownNameFailure(limit, 'label', figure, [...shares.keys()]))
}

/** Lists the estimates that a limit can name: the share of each label, and `mean`, the mean level of a score. */
const listShares = ({ shares, mean }: QuestionShares): ReadonlyMap<string, ShareEstimate> => {
  const estimates = new Map(shares)
  if (mean !== undefined) estimates.set('mean', mean)
  return estimates
}

const explainUnmetShare = (
  { flag, value }: Limit,
  { estimate, low, high }: ShareEstimate,
): string | undefined => {
  const isMet = flag === '--min' ? low >= value : high <= value
  return isMet
    ? undefined
    : `the estimate is ${formatShare(estimate)}, from ${formatShare(low)} to ${formatShare(high)}`
}

/** Formats a number with at most six significant digits. */
const formatShare = (share: number): string => String(Number(share.toPrecision(6)))
