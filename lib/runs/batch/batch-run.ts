import type * as E from 'fp-ts/Either'
import { endSpan } from '../../client/call/observe'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { formatCount } from '../../failure/text/table'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Runtime } from '../../runtime/runtime'
import type { Tracer } from '../../runtime/tracer'
import { type BatchEnd, runBatchLoop } from './batch-loop'
import type { EncodedRecord } from './encode-record'
import type { Sink } from './output'
import type { PacedSetup } from './pace'
import type { BatchStep } from './process-row'
import { showBatchProgress } from './progress'
import { countItems, type OpenItems, openItems } from './read-items'
import type { RowRemarks } from './row-remarks'
import type { RunOptions } from './run-options'
import type { Summary, SummaryBuilder } from './summary'

/** A run of `svc batch` in progress. */
export interface BatchRun {
  readonly runtime: Runtime
  readonly tracer: Tracer
  readonly options: RunOptions
  readonly setup: PacedSetup
  readonly sums: SummaryBuilder
  /** Ends the reading of the input. Fires at an interrupt, and when the run is over. */
  readonly reading: AbortController
}

/** How a run ended: as asking did, or because a file could not be read or written to its end. */
export type RunEnd =
  | Exclude<BatchEnd, { readonly is: 'unpriced' }>
  | { readonly is: 'unreadable' | 'unwritable' | 'unpriced'; readonly failure: Failure }

/** How a run ended, and the summary of its records. */
export interface RunOutcome {
  readonly end: RunEnd
  /** Whether every selected row has a record. */
  readonly isComplete: boolean
  readonly summary: Summary
  readonly remarks: RowRemarks
}

/** Opens the input of a run. Fails as `openItems` does. */
export const openRunInput = ({
  runtime,
  options,
  setup,
  reading,
}: BatchRun): Promise<E.Either<Failure, OpenItems>> =>
  openItems(runtime, options.input, reading.signal, setup.reuse)

/** Carries out the steps: asks, writes the records, sums them up, shows the progress. */
export const askAndRecord = async (
  run: BatchRun,
  input: OpenItems,
  steps: AsyncIterable<BatchStep>,
  sink: Sink,
): Promise<RunOutcome> => {
  const { runtime, tracer, options, setup, sums, reading } = run
  const { stderr, clock } = runtime
  const span = tracer.start('svc.batch', { attributes: { 'gen_ai.operation.name': 'batch' } })
  const stopProgress = showBatchProgress(stderr, clock, sums.sum, () =>
    countItems(runtime, options.input, reading.signal),
  )
  let isWriting = false
  const write = async (records: ReadonlyArray<EncodedRecord>): Promise<'more' | 'enough'> => {
    isWriting = true
    const wanted = await sink.write(Buffer.concat(records.map(({ line }) => line)))
    isWriting = false
    for (const { tally } of records) sums.add(tally)
    return wanted
  }
  let end: RunEnd
  try {
    const asked = await runBatchLoop(
      steps,
      { ...setup, client: { ...setup.client, parent: span } },
      write,
    )
    end = asked.is === 'unpriced' ? describeUnpriced(run, asked.index) : asked
  } catch (error) {
    const what = isWriting ? `write ${sink.name}` : `read rows: ${input.name}`
    const failure = usage(`${what}: ${reasonOf(error)}: ${countRecords(run)}`)
    end = { is: isWriting ? 'unwritable' : 'unreadable', failure }
  }
  await stopProgress()
  endSpan(span, failureOf(end))
  return completeOutcome(run, input, end)
}

const describeUnpriced = (run: BatchRun, index: number): RunEnd => {
  const why = `the answer to row ${index} does not tell its tokens, so --max-cost cannot be kept`
  return { is: 'unpriced', failure: usage(`${why}: ${countRecords(run)}`) }
}

/** Says how many records there are when a run cannot go on. */
const countRecords = ({ sums }: BatchRun): string => {
  const { records } = sums.sum()
  return formatCount(records, 'record', 'stands', 'stand')
}

/** The failure that ended a run, if any. */
export const failureOf = (end: RunEnd): Failure | undefined => {
  if (end.is === 'interrupted') return interrupted
  // Rows that failed alike are recorded, so that the first of them decides.
  return 'failure' in end && end.is !== 'alike' ? end.failure : undefined
}

/** Completes the outcome of a run with this end. A stopped run is complete if it has recorded every row. */
export const completeOutcome = async (
  { runtime, sums }: BatchRun,
  input: OpenItems,
  end: RunEnd,
): Promise<RunOutcome> => {
  const { records } = sums.sum()
  const mayBeComplete = end.is === 'stopped' || end.is === 'alike'
  const isComplete =
    end.is === 'complete' || (mayBeComplete && !(await hasMore(input, records, runtime.clock)))
  return { end, isComplete, summary: sums.sum(), remarks: input.remarks() }
}

/** How long an input that may stay silent, such as a pipe, is given to say whether it ends. */
const patienceMs = 1000

/** Whether the input has more items than this. An input that does not say so in time counts as having more. */
const hasMore = (
  { items, taken }: OpenItems,
  count: number,
  { timer }: Runtime['clock'],
): Promise<boolean> =>
  new Promise((resolve) => {
    const cancel = timer(patienceMs, () => resolve(true))
    const look = async (): Promise<boolean> => {
      while (taken() <= count) if ((await items.next()).done) return false
      return true
    }
    look()
      .catch(() => true)
      .then((more) => {
        cancel()
        resolve(more)
      })
  })
