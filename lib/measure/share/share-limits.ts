import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import { createUnknownNameFailure, type Limit } from '../evaluate/figure-limits'
import type { ShareEstimate } from '../statistics/share'
import type { QuestionShares, RunShares } from './shares'

/**
 * Describes each limit that the shares do not meet. `--min` is compared with the lower end of a share's interval, `--max` with
 * the upper end. Fails with a usage error if a limit names an unknown question or label.
 */
export const describeUnmetLimits = (
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

/** Explains why a limit is not met; `undefined` if it is met. Fails if the limit names an unknown question or label. */
const checkShareLimit = (
  limit: Limit,
  { questions }: RunShares,
): E.Either<Failure, string | undefined> => {
  const { question: id, figure: estimateName } = limit
  const question = questions.get(id)
  if (question === undefined)
    return E.left(createUnknownNameFailure(limit, 'question', id, [...questions.keys()]))
  const estimates = listEstimates(question)
  const estimate = estimates.get(estimateName)
  if (estimate !== undefined) return E.right(explainUnmetLimit(limit, estimate))
  // A question without shares has no estimate to look up, so the limit is not met, whatever label it names.
  if (question.shares === null)
    return E.right(`${estimateName} is null: ${question.noSharesReason}`)
  return E.left(createUnknownNameFailure(limit, 'label', estimateName, [...estimates.keys()]))
}

/** Lists the estimates that a limit can name: the share of each label, and `mean`, the mean level of a score. */
const listEstimates = ({ shares, mean }: QuestionShares): ReadonlyMap<string, ShareEstimate> => {
  const estimates = new Map(shares)
  if (mean !== undefined) estimates.set('mean', mean)
  return estimates
}

const explainUnmetLimit = (
  { flag, value }: Limit,
  { estimate, low, high }: ShareEstimate,
): string | undefined => {
  const isMet = flag === '--min' ? low >= value : high <= value
  if (isMet) return undefined
  return `the estimate is ${formatEstimate(estimate)}, from ${formatEstimate(low)} to ${formatEstimate(high)}`
}

/** Formats an estimate with at most six significant digits. */
const formatEstimate = (estimate: number): string => String(Number(estimate.toPrecision(6)))
