import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../../failure/failure'
import { access } from '../../failure/named-files'
import type { BatchOutcome } from './conclude'
import type { OpenInput } from './items'
import { fileSink, type Output, openOutput, stdoutSink } from './output'
import type { PacedRun } from './pace'
import { holdsErrors, retryErrors } from './retry-errors'
import {
  askAndRecord,
  askEvery,
  isLost,
  openInput,
  outcomeOf,
  pairOutput,
  readRest,
  type Session,
  useOutput,
} from './session'
import type { BatchContext, Prepared } from './settings'
import { createSums } from './summary'

/** Asks about the rows and writes their records to stdout or to the file of `--output`. */
export const recordRows = (
  context: BatchContext,
  ready: Prepared,
  run: PacedRun,
): TE.TaskEither<Failure, BatchOutcome> => {
  const reading = new AbortController()
  run.interrupt.addEventListener('abort', () => reading.abort())
  if (run.interrupt.aborted) reading.abort()
  const session = { context, ready, run, reading, sums: createSums(ready.settings.price) }
  const { output } = ready.settings
  return pipe(
    output === undefined ? writeToStdout(session) : writeToFile(session, output),
    TE.chainFirstIOK(() => () => reading.abort()),
    TE.orElseFirstIOK(() => () => reading.abort()),
  )
}

const writeToStdout = (session: Session): TE.TaskEither<Failure, BatchOutcome> =>
  pipe(
    openInput(session),
    TE.chain((input) =>
      askAndRecord(session, input, askEvery(input.items), stdoutSink(session.context.runtime)),
    ),
  )

const writeToFile = (session: Session, path: string): TE.TaskEither<Failure, BatchOutcome> => {
  const { runtime, flags } = session.context
  return pipe(
    openFile(session),
    TE.chain((opened) =>
      TE.bracket(
        openOutput(runtime, path, flags.resume || flags.overwrite),
        (output) =>
          pipe(
            flags['retry-errors'] ? holdsErrors(session, output) : TE.right(false),
            TE.bindTo('hasErrors'),
            TE.bind('input', () => (opened === undefined ? openInput(session) : TE.right(opened))),
            TE.chain(({ hasErrors, input }) => {
              if (hasErrors) return retryErrors(session, output, input)
              return flags.overwrite && output.file.size > 0
                ? overwriteOutput(session, output, input)
                : continueOutput(session, output, input)
            }),
          ),
        ({ file }) => TE.fromTask(() => file.close()),
      ),
    ),
  )
}

/**
 * Opens an input that is a file before the output is made, so that one that cannot be read leaves no empty output behind.
 * Of other inputs a first row may be long in coming.
 */
const openFile = (session: Session): TE.TaskEither<Failure, OpenInput | undefined> => {
  const { runtime, flags } = session.context
  const { input } = flags
  return pipe(
    access(`read rows: ${input}`, async () =>
      input === '-' ? undefined : await runtime.files.size(input),
    ),
    TE.chain((size) => (size === undefined ? TE.right(undefined) : openInput(session))),
  )
}

/**
 * Writes a new file beside the output, and replaces it at the end, also when interrupted. A run that has written no record
 * leaves the old file as it was.
 */
const overwriteOutput = (
  session: Session,
  output: Output,
  input: OpenInput,
): TE.TaskEither<Failure, BatchOutcome> =>
  pipe(
    useOutput(session, output, async () => E.right(await output.file.replacement())),
    TE.chain((replacement) =>
      pipe(
        askAndRecord(session, input, askEvery(input.items), fileSink(output.path, replacement)),
        TE.chainFirst(({ end, summary }) =>
          useOutput(session, output, async () => {
            if (isLost(end) || (summary.records === 0 && end.is !== 'complete'))
              return E.right(await replacement.discard())
            const old = output.file
            output.file = await replacement.commit()
            return E.right(await old.close())
          }),
        ),
      ),
    ),
  )

/** Goes on after the records that the output already holds, if any. */
const continueOutput = (
  session: Session,
  output: Output,
  input: OpenInput,
): TE.TaskEither<Failure, BatchOutcome> =>
  pipe(
    checkOutput(session, output, input),
    TE.chain((isChecked) =>
      isChecked
        ? askAndRecord(session, input, askEvery(input.items), fileSink(output.path, output.file))
        : TE.fromTask(() => outcomeOf(session, input, { is: 'interrupted' })),
    ),
  )

/**
 * Checks that the records in the output belong to the rows of the input, and removes a torn last line. Resolves
 * with whether that came to its end: an interrupt stops it, and then changes nothing.
 */
const checkOutput = (
  session: Session,
  output: Output,
  input: OpenInput,
): TE.TaskEither<Failure, boolean> =>
  useOutput(session, output, async () => {
    const { file } = output
    const { sums, run } = session
    if (file.size === 0) return E.right(true)
    let [size, ended] = [0, true]
    for await (const pair of pairOutput(session, output, input)) {
      if (E.isLeft(pair)) return pair
      const { kept, written } = pair.right
      sums.add(written.tally)
      size = kept.next
      ended = kept.ended
    }
    if (run.interrupt.aborted) {
      for await (const kept of readRest(session, output))
        if (E.isRight(kept)) sums.add(kept.right.tally)
      return E.right(false)
    }
    if (size < file.size) await file.truncate(size)
    if (!ended) await file.append(Buffer.from('\n'))
    return E.right(true)
  })
