import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { formatCount } from '../../text/table'
import type { GateVerdict } from './tally'

/** The maximum number of failed rows that a gate tolerates: absolute, or a share of all rows. */
export type Allowance =
  | { readonly rows: number }
  /** A percentage, 0 to 100. */
  | { readonly percent: number }

/** Parses the value of `flag`, such as `5` or `2.5%`. Without a value, no row may fail. Fails with a usage error for any other text. */
export const parseAllowance = (
  text: string | undefined,
  flag = '--allow',
): E.Either<Failure, Allowance> => {
  if (text === undefined) return E.right({ rows: 0 })
  const [, digits, percentSign] = /^(\d{1,15}(?:\.\d{1,15})?)(%?)$/.exec(text) ?? []
  // Without a match, `percentSign` is `undefined` and the number is NaN, so the text is refused below.
  const number = Number(digits)
  if (percentSign === '%' && number <= 100) return E.right({ percent: number })
  // A number of rows has no decimals.
  if (percentSign === '' && Number.isSafeInteger(number)) return E.right({ rows: number })
  return E.left(usage(`${flag} must be a number of rows or a percentage, got ${text}`))
}

/** A relative tolerance for rounding errors: computed in binary fractions, 0.57 % of 10,000 is slightly less than 57. */
const roundingTolerance = 1e-12

/** Returns `true` if the allowance tolerates `failed` failed rows in a run of `rows` rows. */
export const isAllowed = (allowance: Allowance, failed: number, rows: number): boolean =>
  'rows' in allowance
    ? failed <= allowance.rows
    : failed * 100 <= allowance.percent * rows * (1 + roundingTolerance)

/**
 * Explains in one line why the gate of a run fails. Too many failed rows are a reason: it then names their number, the allowed
 * number, and the requirement that the most rows do not meet. Rows without answers are a reason too, unless `allowErrors` is set. A
 * run without judged rows always fails. Returns `undefined` if the gate holds.
 */
export const explainGateFailure = (
  { rows, passed, failed, errors, requirements }: GateVerdict,
  allowance: Allowance,
  allowErrors: boolean,
): string | undefined => {
  if (passed + failed === 0) return 'no row could be judged'
  const reasons: string[] = []
  if (!isAllowed(allowance, failed, rows)) {
    const [worstRequirement] = [...requirements].sort((a, b) => b.failed - a.failed)
    const allowed = 'rows' in allowance ? String(allowance.rows) : `${allowance.percent}%`
    reasons.push(`${failed} of ${formatCount(rows, 'row')} failed, allowed ${allowed}`)
    if (worstRequirement !== undefined) {
      const { require: text, failed: failures } = worstRequirement
      reasons.push(`worst requirement: ${text} (${formatCount(failures, 'row')})`)
    }
  }
  if (errors > 0 && !allowErrors) reasons.push(`${formatCount(errors, 'row')} not answered`)
  return reasons.length === 0 ? undefined : reasons.join('; ')
}
