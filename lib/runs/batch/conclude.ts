import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import type { Result } from '../../cli/declaration'
import { classify } from '../../failure/classify'
import { writeStderrLines } from '../../failure/envelope'
import { type Failure, interrupted } from '../../failure/failure'
import { messageOf } from '../../failure/message'
import { sanitize } from '../../failure/text/harmless'
import { writeCount } from '../../failure/text/table'
import { describeOtherModels, listModels } from '../policy/write'
import type { End } from './ask-all'
import type { RowRemarks } from './items'
import type { BatchContext, Prepared } from './settings'
import { describeError, exitOf, rowsOf, type Summary, summaryDraft } from './summary'

/** How a run ended: as asking did, or because a file could not be read or written to its end. */
export type RunEnd =
  | Exclude<End, { readonly is: 'unpriced' }>
  | { readonly is: 'unreadable' | 'unwritable' | 'unpriced'; readonly failure: Failure }

/** How a run ended, and the summary of its records. */
export interface BatchOutcome {
  readonly end: RunEnd
  /** Whether every selected row has a record. */
  readonly isComplete: boolean
  readonly summary: Summary
  readonly remarks: RowRemarks
}

/**
 * Writes the last lines on stderr, and decides stdout and the exit code. With `--output` stdout is the summary.
 * Without it, stdout is the records and nothing else once one was written.
 */
export const conclude =
  (
    { runtime, flags }: BatchContext,
    { policy, settings: { output } }: Prepared,
    { operation, attempts }: { readonly operation: string; readonly attempts: number },
    { end, isComplete, summary, remarks }: BatchOutcome,
  ): TE.TaskEither<Failure, Result> =>
  async () => {
    if (end.is === 'unread') return E.right({})
    const tell = (line: string) => runtime.stderr.write(`${sanitize(line)}\n`)
    const repeat = flags.repeat ?? 1
    const { answered, failed, gate, records, first, models } = summary
    const rows = rowsOf(summary, repeat)
    const gated = flags.require.length > 0
    if (records > 0) for (const line of describeRows(remarks)) await tell(line)
    if (gated && gate.failed > 0)
      await tell(
        `batch: ${gate.failed} of ${writeCount(answered, 'answered row', 'does', 'do')} not meet the requirements`,
      )
    const others = policy && describeOtherModels(policy, models.keys())
    if (others !== undefined) await tell(`svc: ${others}`)
    if (policy !== undefined)
      await tell(
        `batch: ${summary.review} of ${writeCount(answered, 'answered row', 'goes', 'go')} to a person`,
      )
    await tellModels(tell, summary, flags)
    const isSpent = end.is === 'stopped' && end.by === 'max_cost'
    if (isSpent)
      await tell(`batch: --max-cost ${flags['max-cost']} is reached: ask the rest with --resume`)
    const failure = failureOf(end)
    if (end.is === 'alike')
      await tell(`batch: stopped: the first 20 rows failed alike: ${messageOf(end.failure)}`)
    const isReported = failure !== undefined && hasEnvelope(end, output, records)
    // stderr ends with the first failed row; where there is none, with what ended the run.
    if (failure !== undefined && !isReported && first !== undefined)
      await runtime.stderr.write(writeStderrLines(failure))
    await tell(`batch: ${rows} rows, ${answered} answered, ${failed} failed`)
    if (isReported) return E.left(failure)
    if (first !== undefined) await tell(`svc: ${describeError(first.error, operation)}`)
    else if (failure !== undefined) await runtime.stderr.write(writeStderrLines(failure))
    const exit =
      failure === undefined
        ? exitOf(summary, isSpent || (others !== undefined && flags.pin))
        : classify(failure).exit
    if (output === undefined) return E.right({ exit })
    const course = {
      ...{ repeat, attempts, complete: isComplete, gated },
      reuses: flags.reuse.length > 0,
      stopped: isSpent ? ('max_cost' as const) : describeStop(end),
    }
    const stdout = { document: summaryDraft(summary, course) }
    const hint = end.is === 'interrupted' ? ({ about: 'resume', rows, output } as const) : undefined
    return E.right({ stdout, exit, hint })
  }

/** Words the remarks about the rows, a line each. */
const describeRows = ({ absentLabels, emptyStates, sharedIds }: RowRemarks): string[] => [
  ...absentLabels.map(
    ({ id, field }) => `batch: no row had the field "${field}", which --label names for "${id}"`,
  ),
  ...(emptyStates > 0
    ? [`batch: ${writeCount(emptyStates, 'row', 'has', 'have')} an empty state`]
    : []),
  ...(sharedIds > 0 ? [`batch: ${sharedIds} rows share an id with another row`] : []),
]

/**
 * Tells how many rows were reused and who had answered them, and whether a run that earlier answers went into holds
 * those of more than one model.
 */
const tellModels = async (
  tell: (line: string) => Promise<void>,
  { reused, reusedModels, models }: Summary,
  { reuse, resume }: BatchContext['flags'],
): Promise<void> => {
  if (reused > 0)
    await tell(
      `batch: ${writeCount(reused, 'row')} reused, answered by ${listModels([...reusedModels])}`,
    )
  if ((resume || reuse.length > 0) && models.size > 1)
    await tell(`batch: the run holds answers of ${listModels([...models.keys()])}`)
}

/**
 * Whether stdout has the error envelope: where a file made the run fail, and without an output file where no record
 * was written. A stdout that cannot be written has nothing.
 */
const hasEnvelope = ({ is }: RunEnd, output: string | undefined, records: number): boolean =>
  output === undefined
    ? records === 0 && is !== 'unwritable'
    : is === 'mismatch' || is === 'unreadable' || is === 'unwritable' || is === 'unpriced'

/** Why a run stopped, in the word of the summary; `undefined` for all other ends. */
const describeStop = ({ is }: RunEnd): 'no_credit' | 'alike' | undefined =>
  is === 'no_credit' || is === 'alike' ? is : undefined

/** The failure that ended a run; `undefined` where none did. */
export const failureOf = (end: RunEnd): Failure | undefined => {
  if (end.is === 'interrupted') return interrupted
  // Rows that failed alike are recorded, so that the first of them decides.
  return 'failure' in end && end.is !== 'alike' ? end.failure : undefined
}
