import type * as E from 'fp-ts/Either'
import { endSpan } from '../../client/call/observe'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Runtime } from '../../runtime/runtime'
import type { Tracer } from '../../runtime/tracer'
import { formatCount } from '../../text/table'
import type { OutputDemand } from '../record/reorder-window'
import type { BatchEnd } from './batch-end'
import type { EncodedRecord } from './batch-item'
import { runBatchLoop } from './batch-loop'
import type { BatchStep } from './batch-setup'
import type { RecordWriter } from './output'
import type { PacedSetup } from './pace'
import { showBatchProgress } from './progress'
import { countItems, type OpenItems, openItems, type RowRemarks } from './read-items'
import type { RunOptions } from './run-options'
import type { BatchSummary, SummaryBuilder } from './summary'

/** A run of `svc batch` in progress. */
export interface BatchRun {
  readonly runtime: Runtime
  readonly tracer: Tracer
  readonly options: RunOptions
  readonly setup: PacedSetup
  readonly summary: SummaryBuilder
  /** Ends the reading of the input: at an interrupt, and when the run is over. */
  readonly inputController: AbortController
}

/** The reason for the end of the loop of a run, or why an input could not be read or an output could not be written. */
export type RecordingEnd =
  | Exclude<BatchEnd, { readonly kind: 'unpriced' }>
  | { readonly kind: 'unreadable' | 'unwritable' | 'unpriced'; readonly reason: string }

/** The reason for the end of a run. A failure about the input or the output says how many records are in the output. */
export type RunEnd =
  | Exclude<BatchEnd, { readonly kind: 'unpriced' }>
  | { readonly kind: 'unreadable' | 'unwritable' | 'unpriced'; readonly failure: Failure }

/** The end of a run, and the facts that its report needs. */
export interface RunOutcome {
  readonly end: RunEnd
  /** `true` if every selected row has a record. */
  readonly isComplete: boolean
  readonly summary: BatchSummary
  readonly remarks: RowRemarks
}

export const openRunItems = (run: BatchRun): Promise<E.Either<Failure, OpenItems>> =>
  openItems(run.runtime, run.options.input, {
    signal: run.inputController.signal,
    reuse: run.setup.reuse,
  })

/**
 * Runs the loop of a batch: writes the records, adds them to the summary, and shows the progress. Each of `steps` is the next item, and
 * its record if the output already has it. Resolves with the reason for the end.
 */
export const askAndRecord = async (
  run: BatchRun,
  input: OpenItems,
  steps: AsyncIterable<BatchStep>,
  writer: RecordWriter,
): Promise<RecordingEnd> => {
  const { runtime, tracer, options, setup, summary, inputController } = run
  const { stderr, clock } = runtime
  const span = tracer.start('svc.batch', { attributes: { 'gen_ai.operation.name': 'batch' } })
  const stopProgress = showBatchProgress(stderr, clock, summary.sum, () =>
    countItems(runtime, options.input, inputController.signal),
  )
  // If the loop throws, this tells an unwritable output from an unreadable input.
  let isWriting = false
  const write = async (records: ReadonlyArray<EncodedRecord>): Promise<OutputDemand> => {
    isWriting = true
    const demand = await writer.write(Buffer.concat(records.map(({ line }) => line)))
    isWriting = false
    for (const { tally } of records) summary.add(tally)
    return demand
  }
  let end: RecordingEnd
  try {
    const client = { ...setup.client, parent: span }
    const loopEnd = await runBatchLoop(steps, { ...setup, client }, write)
    end = loopEnd.kind === 'unpriced' ? createUnpricedEnd(loopEnd.index) : loopEnd
  } catch (error) {
    const activity = isWriting ? `write ${writer.name}` : `read rows: ${input.name}`
    const reason = `${activity}: ${reasonOf(error)}`
    end = { kind: isWriting ? 'unwritable' : 'unreadable', reason }
  }
  await stopProgress()
  endSpan(span, 'reason' in end ? usage(end.reason) : findEndFailure(end))
  return end
}

const createUnpricedEnd = (index: number): RecordingEnd => ({
  kind: 'unpriced',
  reason: `the answer to row ${index} has no token counts, so svc cannot enforce --max-cost`,
})

/** Finds the failure that ended a run; `undefined` if the run completed or was stopped. */
export const findEndFailure = (end: RunEnd): Failure | undefined => {
  if (end.kind === 'interrupted') return interrupted
  // Rows with the same error are recorded. The report takes the failure from the first record.
  return 'failure' in end && end.kind !== 'alike' ? end.failure : undefined
}

/**
 * Creates the outcome of a run whose records are in the output. Reads on in the input if necessary, to find out if every selected row has
 * a record.
 */
export const createRunOutcome = async (
  { runtime, summary }: BatchRun,
  input: OpenItems,
  recordingEnd: RecordingEnd,
): Promise<RunOutcome> => {
  const sum = summary.sum()
  const end = createRunEnd(recordingEnd, sum)
  // These runs may have been stopped by their last row.
  const mayBeComplete = end.kind === 'stopped' || end.kind === 'alike'
  const isComplete =
    end.kind === 'complete' ||
    (mayBeComplete && !(await hasMoreItems(input, sum.records, runtime.clock)))
  return { end, isComplete, summary: sum, remarks: input.remarks() }
}

const createRunEnd = (end: RecordingEnd, { records }: BatchSummary): RunEnd => {
  if (!('reason' in end)) return end
  const count = `${formatCount(records, 'record', 'is', 'are')} in the output`
  return { kind: end.kind, failure: usage(`${end.reason}: ${count}`) }
}

/** svc waits this long for the next row or the end of a pipe. */
const maxSilenceMs = 1000

/**
 * Resolves with `true` if the input has more items than `count`. svc also assumes more items if the input sends nothing for a second,
 * or cannot be read.
 */
const hasMoreItems = async (
  { items, itemsRead }: OpenItems,
  count: number,
  { timer }: Runtime['clock'],
): Promise<boolean> => {
  const readToNextItem = async (): Promise<boolean> => {
    while (itemsRead() <= count) {
      const next = await items.next()
      if (next.done) return false
    }
    return true
  }
  return new Promise((resolve) => {
    const cancelTimer = timer(maxSilenceMs, () => resolve(true))
    void readToNextItem()
      .catch(() => true)
      .then((hasMore) => {
        cancelTimer()
        resolve(hasMore)
      })
  })
}
