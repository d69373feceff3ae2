import * as E from 'fp-ts/Either'
import * as RA from 'fp-ts/ReadonlyArray'
import { type Failure, usage } from '../../failure/failure'
import { suggest } from '../../failure/suggestion'
import type { Limit } from '../evaluate/figure-limits'
import type { ShareEstimate } from '../statistics/share'
import type { QuestionShares, RunShares } from './shares'

/**
 * Describes each limit on a share that is not met: the worse end of its interval counts. Fails with a usage error if a
 * limit names an unknown question or label.
 */
export const findUnmetShares = (
  limits: ReadonlyArray<Limit>,
  { questions }: RunShares,
): E.Either<Failure, ReadonlyArray<string>> => {
  const check = (limit: Limit): E.Either<Failure, ReadonlyArray<string>> => {
    const refuse = (what: string, name: string, known: ReadonlyArray<string>) =>
      E.left(
        usage(
          `${limit.flag} ${JSON.stringify(limit.text)}: no ${what} "${name}"${suggest(name, known)}`,
        ),
      )
    const question = questions.get(limit.question)
    if (question === undefined) return refuse('question', limit.question, [...questions.keys()])
    const shares = listShares(question)
    const share = shares.get(limit.figure)
    if (share !== undefined) return E.right(explainUnmetShare(limit, share))
    if (question.shares === null)
      return E.right([`${limit.flag} ${limit.text} (${limit.figure} is null: ${question.why})`])
    return refuse('label', limit.figure, [...shares.keys()])
  }
  return E.map(RA.flatten<string>)(E.traverseArray(check)(limits))
}

const listShares = ({ shares, mean }: QuestionShares): ReadonlyMap<string, ShareEstimate> =>
  new Map([...(shares ?? []), ...(mean === undefined ? [] : [['mean', mean] as const])])

const explainUnmetShare = (
  { flag, text, value }: Limit,
  { estimate, low, high }: ShareEstimate,
): ReadonlyArray<string> => {
  const isMet = flag === '--min' ? low >= value : high <= value
  if (isMet) return []
  const [is, from, to] = [estimate, low, high].map((number) => Number(number.toPrecision(6)))
  return [`${flag} ${text} (the estimate is ${is}, from ${from} to ${to})`]
}
