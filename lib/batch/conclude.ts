import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import type { Result } from '../cli/declaration'
import { classify } from '../failure/classify'
import { writeStderrLines } from '../failure/envelope'
import { type Failure, interrupted } from '../failure/failure'
import type { GivenPolicy } from '../policy/policy'
import { describeOtherModels } from '../policy/read'
import { sanitize } from '../text/harmless'
import type { End } from './ask-all'
import type { BatchContext } from './context'
import { errorText, exitOf, rowsOf, type Summary, summaryDraft } from './summary'

/** How a run ended, and the summary of its records. */
export interface Outcome {
  readonly end: End
  readonly summary: Summary
}

/**
 * Writes the last lines on stderr, and decides stdout and the exit code. With `--output` stdout is the summary.
 * Without it, stdout is the records and nothing else once one was written. R10, R11
 */
export const conclude =
  (
    { runtime, flags }: BatchContext,
    policy: GivenPolicy | undefined,
    attempts: number,
    { end, summary }: Outcome,
  ): TE.TaskEither<Failure, Result> =>
  async () => {
    if (end.is === 'unread') return E.right({})
    const repeat = flags.repeat ?? 1
    const { answered, failed, gate, records, first } = summary
    const gated = flags.require.length > 0
    if (gated && gate.failed > 0) {
      const of = `${gate.failed} of ${answered} answered rows`
      await runtime.stderr.write(`batch: ${of} do not meet the requirements\n`)
    }
    const others = policy && describeOtherModels(policy, summary.models.keys())
    if (others !== undefined) await runtime.stderr.write(`svc: ${sanitize(others)}\n`)
    const rows = rowsOf(summary, repeat)
    await runtime.stderr.write(`batch: ${rows} rows, ${answered} answered, ${failed} failed\n`)
    const failure = failureOf(end)
    // A run that failed because of a file, or before its first record, prints the error envelope.
    const isOutside = failure?._tag === 'Usage'
    const hasOutput = flags.output !== undefined
    if (failure !== undefined && (hasOutput ? isOutside : records === 0)) return E.left(failure)
    if (failure !== undefined) await runtime.stderr.write(writeStderrLines(failure))
    else if (first !== undefined)
      await runtime.stderr.write(`svc: ${sanitize(errorText(first.error))}\n`)
    const complete = end.is === 'complete' || (end.is === 'stopped' && end.last)
    const course = { repeat, attempts, complete, gated }
    const exit =
      failure === undefined
        ? exitOf(summary, others !== undefined && flags.pin)
        : classify(failure).exit
    if (!hasOutput) return E.right({ exit })
    const stdout = { document: summaryDraft(summary, course) }
    return E.right({ stdout, exit })
  }

const failureOf = (end: End): Failure | undefined => {
  switch (end.is) {
    case 'failed':
      return end.failure
    case 'interrupted':
      return interrupted
    case 'complete':
    case 'stopped':
    case 'unread':
      return undefined
  }
}
