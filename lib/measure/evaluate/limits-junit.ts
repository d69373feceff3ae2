import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import { formatJunit, type JunitCase } from '../../text/junit'
import type { Evaluation } from './evaluation'
import { findUnmet, type Limit } from './figure-limits'

/**
 * Formats limits as JUnit XML, with a test case for each. A test fails if and only if its limit is not met. Fails with a usage error if a
 * limit names an unknown question or figure.
 */
export const formatLimitsJunit = (
  limits: ReadonlyArray<Limit>,
  evaluation: Evaluation,
): E.Either<Failure, string> => {
  const cases: JunitCase[] = []
  for (const limit of limits) {
    const unmet = findUnmet([limit], evaluation)
    if (E.isLeft(unmet)) return unmet
    const [message] = unmet.right
    const name = `${limit.flag} ${limit.text}`
    cases.push(message === undefined ? { name } : { name, failure: { message, type: 'eval' } })
  }
  return E.right(formatJunit('svc eval', [{ name: 'figures', cases }]))
}
