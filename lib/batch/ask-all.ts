import * as E from 'fp-ts/Either'
import type { ClientEnv } from '../client/env'
import { classify } from '../failure/classify'
import type { Failure } from '../failure/failure'
import { type ItemOutcome, workInOrder } from '../run/in-order'
import { answeredRecord, askRow, failedRecord, type Item, type Plan } from './ask-row'

/** The next thing to do: ask an item, or keep the line of its record. A failure ends the run. */
export type Step = E.Either<Failure, { readonly item: Item; readonly kept?: Buffer }>

/** How a run ended. R9 */
export type End =
  /** Every selected row has a record. */
  | { readonly is: 'complete' }
  /**
   * `--fail-fast` stopped the run after the first failed row. `last` is true where that is known to be the last
   * row.
   */
  | { readonly is: 'stopped'; readonly last: boolean }
  | { readonly is: 'interrupted' }
  /** Nobody reads the output any more. D23 */
  | { readonly is: 'unread' }
  | { readonly is: 'failed'; readonly failure: Failure }

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
  /**
   * Whether reading one more row is sure to end soon. That is so for a file, but not for a pipe that may stay
   * silent.
   */
  readonly canPeek: boolean
}

/** How many rows are held per row that may be asked at the same time. R5 */
const windowFactor = 4

/**
 * Asks the rows of a run and writes their records in the order of the rows, whole lines only. Rejects where
 * reading the input or `write` does. R5, R9
 */
export const askAll = async (
  steps: AsyncIterable<Step>,
  { plan, client, halt, interrupt, concurrency, failFast, canPeek }: Run,
  write: (lines: ReadonlyArray<Buffer>) => Promise<'more' | 'enough'>,
): Promise<End> => {
  let end: End | undefined
  const work = async (step: Step): Promise<ItemOutcome<Buffer>> => {
    if (E.isLeft(step)) {
      end = { is: 'failed', failure: step.left }
      return 'none'
    }
    const { item, kept } = step.right
    if (kept !== undefined) return { result: kept }
    const outcome = await askRow(item, plan, client)()
    if (E.isRight(outcome)) return { result: answeredRecord(item, plan, outcome.right) }
    const failure = outcome.left
    const { kind } = classify(failure)
    if (kind === 'interrupted') return 'none'
    if (kind === 'auth') {
      end ??= { is: 'failed', failure }
      halt.abort()
      return 'none'
    }
    if (failFast) end ??= { is: 'stopped', last: false }
    return { result: failedRecord(item, plan, failure), last: failFast }
  }
  let [taken, wrote, isAll] = [0, 0, false]
  async function* untilEnd(): AsyncGenerator<Step, void, undefined> {
    for await (const step of steps) {
      taken += 1
      if (end !== undefined) return
      yield step
    }
    isAll = true
  }
  const wanted = untilEnd()
  const bounds = { concurrency, window: concurrency * windowFactor }
  try {
    await workInOrder(wanted, bounds, work, async (lines) => {
      const more = await write(lines)
      wrote += lines.length
      if (more === 'enough') end = { is: 'unread' }
      return more
    })
    if (end?.is === 'stopped' && canPeek) {
      // This waits until the read-ahead is done. The reading ends when the run is halted.
      await wanted.next()
      end = { is: 'stopped', last: isAll && taken === wrote }
    }
  } finally {
    // When all records are written, no call is in flight.
    if (end !== undefined || interrupt.aborted) halt.abort()
  }
  if (interrupt.aborted && end?.is !== 'failed') return { is: 'interrupted' }
  return end ?? { is: 'complete' }
}
