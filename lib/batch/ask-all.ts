import * as E from 'fp-ts/Either'
import type { ClientEnv } from '../client/env'
import { classify } from '../failure/classify'
import type { Failure } from '../failure/failure'
import { type ItemOutcome, workInOrder } from '../run/in-order'
import { askRow, type Item, type Plan, type Written, writeAnswer, writeFailure } from './ask-row'

/** The next thing to do: ask an item, or keep its record. A failure ends the run. */
export type Step = E.Either<Failure, { readonly item: Item; readonly kept?: Written }>

/** Why no further row is asked. R9 */
export type End =
  /** There are no further steps. */
  | { readonly is: 'complete' }
  /** `--fail-fast` stopped the run after the first failed row. */
  | { readonly is: 'stopped' }
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
  { plan, client, halt, interrupt, concurrency, failFast }: Run,
  write: (records: ReadonlyArray<Written>) => Promise<'more' | 'enough'>,
): Promise<End> => {
  let end: End | undefined
  const carryOut = async (step: Step): Promise<ItemOutcome<Written>> => {
    if (E.isLeft(step)) {
      end = { is: 'mismatch', failure: step.left }
      return 'none'
    }
    const { item, kept } = step.right
    if (kept !== undefined) return { result: kept }
    const outcome = await askRow(item, plan, client)()
    if (E.isRight(outcome)) return { result: writeAnswer(item, plan, outcome.right) }
    const failure = outcome.left
    const { kind } = classify(failure)
    if (kind === 'interrupted') return 'none'
    if (kind === 'auth') {
      // This outweighs a later row that has failed before and stopped the run. R11
      end = { is: 'auth', failure }
      halt.abort()
      return 'none'
    }
    if (failFast) end ??= { is: 'stopped' }
    return { result: writeFailure(item, plan, failure), last: failFast }
  }
  async function* untilEnd(): AsyncGenerator<Step, void, undefined> {
    for await (const step of steps) {
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

const sizeOf = ({ line }: Written): number => line.length
