import * as E from 'fp-ts/Either'
import type { ClientEnv } from '../../client/call/env'
import { classify, isOutOfCredit } from '../../failure/classify'
import type { Failure } from '../../failure/failure'
import { type ItemOutcome, workInOrder } from '../record/in-order'
import {
  askRow,
  type Item,
  type Plan,
  stateOf,
  type Written,
  writeAnswer,
  writeFailure,
} from './ask-row'
import type { Budget } from './cost'
import type { Reuse } from './reuse'
import { usageOf } from './tally'

/** The next thing to do: ask an item, or keep its record. A failure ends the run. */
export type Step = E.Either<Failure, { readonly item: Item; readonly kept?: Written }>

/** Why no further row is asked. */
export type End =
  /** There are no further steps. */
  | { readonly is: 'complete' }
  /** `--fail-fast` stopped the run after the first failed row, or `--max-cost` before the next one. */
  | { readonly is: 'stopped'; readonly by: 'fail_fast' | 'max_cost' }
  /** An answer does not tell what it cost, so that `--max-cost` cannot be kept. */
  | { readonly is: 'unpriced'; readonly index: number }
  | { readonly is: 'interrupted' }
  /** Nobody reads the output any more. */
  | { readonly is: 'unread' }
  /** The service does not accept the key, or the account has no credit left. The row is not recorded. */
  | { readonly is: 'auth' | 'no_credit'; readonly failure: Failure }
  /** The first rows all failed with this failure: each further row would cost a request and fail too. */
  | { readonly is: 'alike'; readonly failure: Failure }
  /** What the output holds does not belong to this run. */
  | { readonly is: 'mismatch'; readonly failure: Failure }

/** What a run uses besides its rows. */
export interface Run {
  readonly plan: Plan
  /** The client, whose signal is that of `halt`. */
  readonly client: ClientEnv
  /** Aborting this cancels every call in flight. */
  readonly halt: AbortController
  /** Fires when the user interrupts the program. */
  readonly interrupt: AbortSignal
  readonly concurrency: number
  readonly failFast: boolean
  /** Asks on when the account has no credit left, and when the first rows fail alike. */
  readonly keepGoing?: boolean | undefined
  /** The answers of earlier runs, which are not asked for again. */
  readonly reuse?: Reuse | undefined
  /** What the run may spend; without it, as much as it takes. */
  readonly budget?: Budget | undefined
}

/** How many rows are held per row that may be asked at the same time. */
const windowFactor = 4

/** The most bytes of records that wait for an earlier row; above, no new row starts. */
const mostWaiting = 64 << 20

/**
 * Asks the rows of a run and writes their records in the order of the rows, whole lines only. Rejects where
 * reading the steps or `write` does.
 */
export const askAll = async (
  steps: AsyncIterable<Step>,
  run: Run,
  write: (records: ReadonlyArray<Written>) => Promise<'more' | 'enough'>,
): Promise<End> => {
  const { plan, client, halt, interrupt, concurrency, failFast, keepGoing, reuse, budget } = run
  let end: End | undefined
  const carryOut = async (step: Step): Promise<ItemOutcome<Written>> => {
    if (E.isLeft(step)) {
      end = { is: 'mismatch', failure: step.left }
      return 'none'
    }
    const { item, kept } = step.right
    if (kept !== undefined) return { result: kept }
    const reused = reuse?.has(item) ? await reuse.find(item) : undefined
    if (reused !== undefined) return { result: writeAnswer(item, plan, reused, true) }
    const note = budget?.start(item)
    const outcome = await askRow(item, plan, client)()
    if (E.isRight(outcome)) {
      const result = writeAnswer(item, plan, outcome.right)
      if (note?.(usageOf(outcome.right)) !== false) return { result }
      end ??= { is: 'unpriced', index: item.row.index }
      return { result, last: true }
    }
    note?.()
    const failure = outcome.left
    const { kind } = classify(failure)
    if (kind === 'interrupted') return 'none'
    if (kind === 'auth' || (isOutOfCredit(failure) && !keepGoing)) {
      // This outweighs a later row that has failed before and stopped the run.
      end = { is: kind === 'auth' ? 'auth' : 'no_credit', failure }
      halt.abort()
      return 'none'
    }
    if (failFast) end ??= { is: 'stopped', by: 'fail_fast' }
    return { result: writeFailure(item, plan, failure), last: failFast }
  }
  async function* untilEnd(): AsyncGenerator<Step, void, undefined> {
    for await (const step of steps) {
      if (end === undefined && budget?.isReached() && isSent(step, reuse))
        end = { is: 'stopped', by: 'max_cost' }
      if (end !== undefined) return
      yield step
    }
  }
  const bounds = { concurrency, window: concurrency * windowFactor, mostWaiting }
  try {
    const findLastAlike = watchFirstRows()
    await workInOrder(untilEnd(), bounds, carryOut, sizeOf, async (records) => {
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
  return (records: ReadonlyArray<Written>) => {
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
const isSent = (step: Step, reuse: Reuse | undefined): boolean =>
  E.isRight(step) &&
  step.right.kept === undefined &&
  E.isRight(stateOf(step.right.item)) &&
  !reuse?.has(step.right.item)

const sizeOf = ({ line }: Written): number => line.length
