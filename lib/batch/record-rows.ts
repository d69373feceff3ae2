import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, interrupted } from '../failure/failure'
import type { OutputFile } from '../runtime/runtime'
import type { Outcome } from './conclude'
import type { BatchContext, Prepared } from './context'
import { finishRetry } from './finish-retry'
import type { OpenInput } from './items'
import { fileSink, openOutput, stdoutSink } from './output'
import { holdsErrors, retryErrors } from './retry-errors'
import { askAndRecord, askEvery, openInput, pairsOf, type Session, withOutput } from './session'
import { summing } from './summary'

/** Asks about the rows and writes their records to stdout or to the file of `--output`. R7 */
export const recordRows = (
  context: BatchContext,
  ready: Prepared,
  run: Session['run'],
): TE.TaskEither<Failure, Outcome> => {
  const { runtime, flags } = context
  const session = { context, ready, run, sums: summing() }
  const { output } = flags
  if (output === undefined)
    return pipe(
      openInput(session),
      TE.chain((input) => askAndRecord(session, input, askEvery(input.items), stdoutSink(runtime))),
    )
  return TE.bracket(
    pipe(
      openOutput(runtime, output, flags.resume),
      TE.chain((file) => afterRetry(session, output, file)),
    ),
    (file) =>
      pipe(
        flags['retry-errors'] ? holdsErrors(session, output, file) : TE.right(false),
        TE.chain((hasErrors) =>
          hasErrors ? retryErrors(session, output, file) : resumed(session, output, file),
        ),
      ),
    (file) => TE.fromTask(() => file.close()),
  )
}

/**
 * First completes what an earlier run with `--retry-errors` gained before it was killed. Opens the output again
 * where that replaced it.
 */
const afterRetry = (
  session: Session,
  path: string,
  file: OutputFile,
): TE.TaskEither<Failure, OutputFile> => {
  const { files, signal } = session.context.runtime
  if (file.size === 0) return TE.right(file)
  return pipe(
    withOutput(session, path, async () => E.right(await finishRetry(path, file, files, signal))),
    TE.orElseFirstTaskK(() => () => file.close()),
    TE.chainFirstTaskK((isFinished) => () => (isFinished ? file.close() : Promise.resolve())),
    TE.chain((isFinished) =>
      isFinished ? openOutput(session.context.runtime, path, true) : TE.right(file),
    ),
  )
}

/** Continues after the records that the output already holds, if any. */
const resumed = (
  session: Session,
  path: string,
  file: OutputFile,
): TE.TaskEither<Failure, Outcome> =>
  pipe(
    openInput(session),
    TE.chainFirst((input) => verified(session, path, file, input)),
    TE.chain((input) => askAndRecord(session, input, askEvery(input.items), fileSink(path, file))),
  )

/** Checks that the records in the output belong to the rows of the input, and removes a torn last line. */
const verified = (
  session: Session,
  path: string,
  file: OutputFile,
  input: OpenInput,
): TE.TaskEither<Failure, void> =>
  withOutput(session, path, async () => {
    if (file.size === 0) return E.right(undefined)
    let [size, ended] = [0, true]
    for await (const pair of pairsOf(session, path, input.items)) {
      if (E.isLeft(pair)) return pair
      const { kept } = pair.right
      session.sums.add(kept.record)
      size = kept.next
      ended = kept.ended
    }
    if (session.run.interrupt.aborted) return E.left(interrupted)
    if (size < file.size) await file.truncate(size)
    if (!ended) await file.append(Buffer.from('\n'))
    return E.right(undefined)
  })
