import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import {
  createUnknownNameFailure,
  describeUnmetLimits,
  explainUnmetValue,
  type Limit,
} from '../evaluate/figure-limits'
import type { ShareEstimate } from '../statistics/share'
import type { QuestionShares, RunShares } from './shares'

/**
 * Describes each limit that the shares do not meet. `--min` is compared with the lower end of a share's interval, `--max` with
 * the upper end. Fails with a usage error if a limit names an unknown question or label.
 */
export const describeUnmetShares = (
  limits: ReadonlyArray<Limit>,
  { questions }: RunShares,
): E.Either<Failure, ReadonlyArray<string>> =>
  describeUnmetLimits(limits, (limit) => {
    const question = questions.get(limit.question)
    return question === undefined
      ? E.left(createUnknownNameFailure(limit, 'question', [...questions.keys()]))
      : explainUnmetShare(limit, question)
  })

/** Explains why a limit is not met; `undefined` if it is met. Its `figure` names a label, or `mean` for the mean level of a score. */
const explainUnmetShare = (
  limit: Limit,
  { shares, mean, noSharesReason }: QuestionShares,
): E.Either<Failure, string | undefined> => {
  const estimates = new Map<string, ShareEstimate>(shares)
  if (mean !== undefined) estimates.set('mean', mean)
  const found = estimates.get(limit.figure)
  // `found` is also the interval of its estimate: it has `low` and `high`.
  if (found !== undefined)
    return E.right(explainUnmetValue(limit, 'the estimate', found.estimate, found))
  // If the question has no shares, its labels are not known here, so the name of the label is not checked.
  return shares === null
    ? E.right(`${limit.figure} is null: ${noSharesReason}`)
    : E.left(createUnknownNameFailure(limit, 'label', [...estimates.keys()]))
}
