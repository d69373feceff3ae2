import { classify } from '../../failure/classify'
import type { Failure } from '../../failure/failure'
import type { EncodedRecord } from './encode-record'

/** The reason why an item ends its run. */
export type ItemEnd =
  /** A row failed, and the run stops after the first failed row. */
  | { readonly kind: 'stopped'; readonly by: 'fail_fast' }
  /** The answer does not say what it cost, so that the budget cannot be kept. */
  | { readonly kind: 'unpriced'; readonly index: number }
  /** The service does not accept the key, or the account has no credit left. The row is not recorded. */
  | { readonly kind: 'auth' | 'no_credit'; readonly failure: Failure }
  /** The output does not belong to this run. */
  | { readonly kind: 'mismatch'; readonly failure: Failure }

/** The reason why a run asks no further item. */
export type BatchEnd =
  | ItemEnd
  /** There are no further items. */
  | { readonly kind: 'complete' }
  /** The next item might exceed the budget. */
  | { readonly kind: 'stopped'; readonly by: 'max_cost' }
  | { readonly kind: 'interrupted' }
  /** The reader of the output has gone away. */
  | { readonly kind: 'unread' }
  /** The first rows all failed with this failure: each further row would cost a request and fail too. */
  | { readonly kind: 'alike'; readonly failure: Failure }

/** The first rows that must fail alike to stop a run. */
const maxAlike = 20

/**
 * Watches whether the first records of a run all have the same `request` failure. The returned function takes the
 * records in order. Once 20 are alike, it returns the failure, and how many of the records of this call are among the 20.
 */
export const createSameFailureDetector = () => {
  let alike = 0
  let isWatching = true
  let first: string | undefined
  return (records: ReadonlyArray<EncodedRecord>) => {
    for (const [position, { failure }] of records.entries()) {
      if (!isWatching) return undefined
      const description = failure && describeRequestFailure(failure)
      first ??= description
      isWatching = description !== undefined && description === first
      if (failure === undefined || !isWatching) return undefined
      alike += 1
      if (alike === maxAlike) return { failure, count: position + 1 }
    }
    return undefined
  }
}

/** Returns a text that is equal for failures of the same cause; `undefined` for a failure of another kind. */
const describeRequestFailure = (failure: Failure): string | undefined =>
  failure._tag === 'ApiError' && classify(failure).kind === 'request'
    ? `${failure.status} ${failure.message}`
    : undefined
