import * as E from 'fp-ts/Either'
import type { ClientEnv } from '../../client/call/env'
import { classify } from '../../failure/classify'
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

/** Why no further row is asked. R9 */
export type End =
  /** There are no further steps. */
  | { readonly is: 'complete' }
  /** `--fail-fast` stopped the run after the first failed row, or `--max-cost` before the next one. */
  | { readonly is: 'stopped'; readonly by: 'fail_fast' | 'max_cost' }
  /** An answer does not tell what it cost, so that `--max-cost` cannot be kept. R32 */
  | { readonly is: 'unpriced'; readonly index: number }
  | { readonly is: 'interrupted' }
  /** Nobody reads the output any more. D23 */
  | { readonly is: 'unread' }
  /** The service does not accept the key. */
  | { readonly is: 'auth'; readonly failure: Failure }
  /** What the output holds does not belong to this run. R7 */
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
  /** The answers of earlier runs, which are not asked for again. R31 */
  readonly reuse?: Reuse | undefined
  /** What the run may spend; without it, as much as it takes. R32 */
  readonly budget?: Budget | undefined
}

/** How many rows are held per row that may be asked at the same time. R5 */
const windowFactor = 4

/** The most bytes of records that wait for an earlier row; above, no new row starts. R5 */
const mostWaiting = 64 << 20

/**
 * Asks the rows of a run and writes their records in the order of the rows, whole lines only. Rejects where
 * reading the steps or `write` does. R5, R9
 */
export const askAll = async (
  steps: AsyncIterable<Step>,
  run: Run,
  write: (records: ReadonlyArray<Written>) => Promise<'more' | 'enough'>,
): Promise<End> => {
  const { plan, client, halt, interrupt, concurrency, failFast, reuse, budget } = run
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
    if (kind === 'auth') {
      // This outweighs a later row that has failed before and stopped the run. R11
      end = { is: 'auth', failure }
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
    await workInOrder(untilEnd(), bounds, carryOut, sizeOf, async (records) => {
      const more = await write(records)
      if (more === 'enough') end = { is: 'unread' }
      return more
    })
  } finally {
    // When all records are written, no call is in flight.
    if (end !== undefined || interrupt.aborted) halt.abort()
  }
  if (interrupt.aborted && (end === undefined || end.is === 'stopped')) return { is: 'interrupted' }
  return end ?? { is: 'complete' }
}

/** Whether a step sends a request. */
const isSent = (step: Step, reuse: Reuse | undefined): boolean =>
  E.isRight(step) &&
  step.right.kept === undefined &&
  E.isRight(stateOf(step.right.item)) &&
  !reuse?.has(step.right.item)

const sizeOf = ({ line }: Written): number => line.length
