import type { Failure } from '../../failure/failure'
import { classify } from '../../failure/report'
import type { EncodedRecord } from './batch-item'

/** The reason why an item, which is a row or one of its repetitions, ends the run. */
export type ItemEnd =
  /** A row failed, and `--fail-fast` is set. */
  | { readonly kind: 'stopped'; readonly by: 'fail_fast' }
  /** The answer lacks token counts, so svc cannot enforce `--max-cost`. */
  | { readonly kind: 'unpriced'; readonly index: number }
  /** The service refused the key, or the account has no credit. The row is not recorded. */
  | { readonly kind: 'auth' | 'no_credit'; readonly failure: Failure }
  /** The run cannot begin or go on: the output has records of another run, or `--pack-check` is too small for the rows. */
  | { readonly kind: 'refused'; readonly failure: Failure }

/** The reason for the end of a run. */
export type BatchEnd =
  | ItemEnd
  /** Every item was processed. */
  | { readonly kind: 'complete' }
  /** The next item might exceed `--max-cost`, or answers in packs differ too much from answers given alone. */
  | { readonly kind: 'stopped'; readonly by: 'max_cost' | 'pack_differs' }
  /** The user interrupted the program. */
  | { readonly kind: 'interrupted' }
  /** The reader of stdout, such as `head`, has closed it. */
  | { readonly kind: 'stdout_closed' }
  /** The first 20 records of the run have this failure. Further rows would probably fail too. */
  | { readonly kind: 'alike'; readonly failure: Failure }

/** A run stops if this many of its first rows fail with the same error. */
export const maxSameFailures = 20

/**
 * Creates a function that detects if the first 20 records of a run have the same error, of the kind `request` or `validation`. Call it with all records
 * in order, several at a time. The call with the 20th failure returns that failure and `count`: the number of records of this call up
 * to that failure, including it. Any other call returns `undefined`.
 */
export const createSameFailureDetector = () => {
  let sameFailures = 0
  let hasOtherOutcome = false
  let firstDescription: string | undefined
  return (records: ReadonlyArray<EncodedRecord>) => {
    for (const [position, { failure }] of records.entries()) {
      if (hasOtherOutcome) return undefined
      const description = failure && describeRequestFailure(failure)
      firstDescription ??= description
      if (failure === undefined || description === undefined || description !== firstDescription) {
        hasOtherOutcome = true
        return undefined
      }
      sameFailures += 1
      if (sameFailures === maxSameFailures) return { failure, count: position + 1 }
    }
    return undefined
  }
}

/** Describes a refused or invalid request by its status or path and its message; `undefined` for any other failure. */
const describeRequestFailure = (failure: Failure): string | undefined => {
  if (failure._tag === 'Validation') return `${failure.path} ${failure.cause}`
  return failure._tag === 'ApiError' && classify(failure).kind === 'request'
    ? `${failure.status} ${failure.message}`
    : undefined
}
