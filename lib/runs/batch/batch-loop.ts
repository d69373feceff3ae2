import * as E from 'fp-ts/Either'
import { classify } from '../../failure/classify'
import type { Failure } from '../../failure/failure'
import { type ItemOutcome, workInOrder } from '../record/in-order'
import { stateOf } from './batch-item'
import type { EncodedRecord } from './encode-record'
import { type BatchStep, processRow, type RowEnd, type RowSetup } from './process-row'
import type { Reuse } from './reuse'

/** Why no further row is asked. */
export type BatchEnd =
  | RowEnd
  /** There are no further steps. */
  | { readonly is: 'complete' }
  /** The next row might exceed the budget. */
  | { readonly is: 'stopped'; readonly by: 'max_cost' }
  | { readonly is: 'interrupted' }
  /** The reader of the output has gone away. */
  | { readonly is: 'unread' }
  /** The first rows all failed with this failure: each further row would cost a request and fail too. */
  | { readonly is: 'alike'; readonly failure: Failure }

/** What a run uses besides its rows. */
export interface RunSetup extends RowSetup {
  /** Aborting this cancels every call of the client that is in flight. */
  readonly halt: AbortController
  /** Fires when the user interrupts the program. */
  readonly interrupt: AbortSignal
  readonly concurrency: number
}

/** How many rows are held per row that may be asked at the same time. */
const windowFactor = 4

/** No new row starts while more bytes of records than this wait for an earlier row. */
const maxWaitingBytes = 64 << 20

/**
 * Asks the rows of a run and writes their records in the order of the rows, whole lines only. Rejects if reading the steps or
 * `write` does.
 */
export const runBatchLoop = async (
  steps: AsyncIterable<BatchStep>,
  setup: RunSetup,
  write: (records: ReadonlyArray<EncodedRecord>) => Promise<'more' | 'enough'>,
): Promise<BatchEnd> => {
  const { halt, interrupt, concurrency, keepGoing, reuse, budget } = setup
  let end: BatchEnd | undefined
  const workOn = async (step: BatchStep): Promise<ItemOutcome<EncodedRecord>> => {
    const { written, end: reason } = await processRow(step, setup)
    if (written !== undefined) {
      if (reason === undefined) return { result: written }
      end ??= reason
      return { result: written, last: true }
    }
    // A row that must not be recorded outweighs a later row that has stopped the run before.
    end = reason ?? end
    if (reason?.is === 'auth' || reason?.is === 'no_credit') halt.abort()
    return 'none'
  }
  async function* untilEnd(): AsyncGenerator<BatchStep, void, undefined> {
    for await (const step of steps) {
      if (end === undefined && budget?.isReached() && isSent(step, reuse))
        end = { is: 'stopped', by: 'max_cost' }
      if (end !== undefined) return
      yield step
    }
  }
  const bounds = { concurrency, window: concurrency * windowFactor, maxWaitingBytes }
  try {
    const findLastAlike = watchFirstRows()
    await workInOrder(untilEnd(), bounds, workOn, sizeOf, async (records) => {
      const last = keepGoing ? undefined : findLastAlike(records)
      const more = await write(last === undefined ? records : records.slice(0, last.count))
      if (more === 'enough') end = { is: 'unread' }
      else if (last !== undefined) end = { is: 'alike', failure: last.failure }
      return last === undefined ? more : 'enough'
    })
  } finally {
    // When all records are written, no call is in flight.
    if (end !== undefined || interrupt.aborted) halt.abort()
  }
  if (interrupt.aborted && (end === undefined || end.is === 'stopped')) return { is: 'interrupted' }
  return end ?? { is: 'complete' }
}

/** How many rows must fail alike at the beginning of a run to stop it. */
const maxAlike = 20

/**
 * Watches whether the first rows of a run all fail with the same `request` failure. The returned function takes the
 * records in order. Once there are enough, it returns the failure and how many of the records it was given belong to it.
 */
const watchFirstRows = () => {
  let [count, isAlike] = [0, true]
  let first: string | undefined
  return (records: ReadonlyArray<EncodedRecord>) => {
    for (const [at, { failure }] of records.entries()) {
      if (!isAlike) return undefined
      const text = failure && describeRequestFailure(failure)
      first ??= text
      isAlike = text !== undefined && text === first
      if (failure === undefined || !isAlike) return undefined
      count += 1
      if (count === maxAlike) return { failure, count: at + 1 }
    }
    return undefined
  }
}

/** What two failures of the same cause have in common; `undefined` for a failure of another kind. */
const describeRequestFailure = (failure: Failure): string | undefined =>
  failure._tag === 'ApiError' && classify(failure).kind === 'request'
    ? `${failure.status} ${failure.message}`
    : undefined

/** Whether a step sends a request. */
const isSent = (step: BatchStep, reuse: Reuse | undefined): boolean =>
  E.isRight(step) &&
  step.right.kept === undefined &&
  E.isRight(stateOf(step.right.item)) &&
  !reuse?.has(step.right.item)

const sizeOf = ({ line }: EncodedRecord): number => line.length
