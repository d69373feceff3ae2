import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../failure/failure'
import { isAnswered } from '../run/decode'
import type { OutputFile } from '../runtime/runtime'
import type { Step } from './ask-all'
import type { Item } from './ask-row'
import type { Outcome } from './conclude'
import { type OpenInput, openItems } from './items'
import { fileSink, openOutput, type Sink } from './output'
import { keptRecords, lineOf } from './resume'
import { askAndRecord, askEvery, openInput, pairsOf, type Session, withOutput } from './session'

/**
 * Asks the failed rows of an output again. Writes a new file beside it, with the answered records unchanged and
 * the failed ones asked again. The new file replaces the old one however that ends: records that were not
 * reached are copied as they are. The run then continues like any resumed one, writing to the output directly,
 * so that a kill loses nothing. R7
 */
export const retryErrors = (
  session: Session,
  path: string,
  file: OutputFile,
): TE.TaskEither<Failure, Outcome> =>
  pipe(
    checkAgainstInput(session, path),
    TE.chain(() => openInput(session)),
    TE.bindTo('input'),
    TE.bind('first', ({ input }) => rewritten(session, path, file, input)),
    TE.chain(({ input, first }) =>
      first.end.is === 'complete'
        ? continueAfter(session, path, input)
        : stopped(session, path, first),
    ),
  )

/**
 * Decides whether a run that `--fail-fast` stopped is complete: it is where the input has no further row after
 * the records, old ones included. R10
 */
const stopped = (
  session: Session,
  path: string,
  outcome: Outcome,
): TE.TaskEither<Failure, Outcome> => {
  if (outcome.end.is !== 'stopped') return TE.right(outcome)
  return pipe(
    openAgain(session),
    TE.chain((input) =>
      withOutput(session, path, async () => {
        if (input === undefined) return E.right(false)
        let left = outcome.summary.records
        for await (const _ of input.items) if (left-- === 0) return E.right(false)
        return E.right(!session.run.interrupt.aborted)
      }),
    ),
    TE.map((last) => ({ ...outcome, end: { is: 'stopped', last } })),
  )
}

/** Opens the input once more; `undefined` where it is not a file, since a pipe can be read only once. */
const openAgain = ({
  context,
  ready,
  run,
}: Session): TE.TaskEither<Failure, OpenInput | undefined> => {
  const { input } = context.flags
  const { files } = context.runtime
  return pipe(
    TE.fromTask(
      async () => input !== '-' && (await files.size(input).catch(() => 0)) !== undefined,
    ),
    TE.chain((isFile) => (isFile ? openItems(context, ready, run.interrupt) : TE.right(undefined))),
  )
}

/** Whether the output holds a failed record. */
export const holdsErrors = (
  session: Session,
  path: string,
  file: OutputFile,
): TE.TaskEither<Failure, boolean> =>
  withOutput(session, path, async () => {
    if (file.size === 0) return E.right(false)
    const { context, run } = session
    for await (const kept of keptRecords(path, context.runtime.files, run.interrupt))
      if (E.isRight(kept) && !isAnswered(kept.right.record.outcome)) return E.right(true)
    return E.right(false)
  })

const rewritten = (
  session: Session,
  path: string,
  file: OutputFile,
  input: OpenInput,
): TE.TaskEither<Failure, Outcome> =>
  pipe(
    withOutput(session, path, async () => E.right(await file.redo())),
    TE.chain((redo) =>
      pipe(
        askAndRecord(session, input, again(session, path, input.items), fileSink(path, redo)),
        TE.chainFirst(({ end }) =>
          end.is === 'failed' && end.failure._tag === 'Usage'
            ? TE.left(end.failure)
            : withOutput(session, path, async () => {
                const copied =
                  end.is === 'complete'
                    ? E.right(undefined)
                    : await copyRest(session, path, fileSink(path, redo))
                if (E.isRight(copied)) await redo.commit()
                return copied
              }),
        ),
        // The next run that resumes picks up what was gained.
        TE.orElseFirstTaskK(
          () => () => (session.sums.sum().records === 0 ? redo.discard() : redo.leave()),
        ),
        TE.map((outcome) => ({ ...outcome, summary: session.sums.sum() })),
      ),
    ),
  )

/** Asks about the rows after the last record, and appends to the file that has just replaced the old one. */
const continueAfter = (
  session: Session,
  path: string,
  input: OpenInput,
): TE.TaskEither<Failure, Outcome> =>
  TE.bracket(
    openOutput(session.context.runtime, path, true),
    (file) => askAndRecord(session, input, askEvery(input.items), fileSink(path, file)),
    (file) => TE.fromTask(() => file.close()),
  )

/** Compares the whole output with the input before anything is asked, where the input can be read twice. */
const checkAgainstInput = (session: Session, path: string): TE.TaskEither<Failure, void> =>
  pipe(
    openAgain(session),
    TE.chain((input) =>
      withOutput(session, path, async () => {
        if (input === undefined) return E.right(undefined)
        for await (const pair of pairsOf(session, path, input.items))
          if (E.isLeft(pair)) return pair
        return E.right(undefined)
      }),
    ),
  )

async function* again(
  session: Session,
  path: string,
  items: AsyncIterator<Item>,
): AsyncGenerator<Step, void, undefined> {
  for await (const pair of pairsOf(session, path, items))
    yield pipe(
      pair,
      E.map(({ item, kept }) =>
        isAnswered(kept.record.outcome) ? { item, kept: lineOf(kept) } : { item },
      ),
    )
}

/** Copies the records that were not reached. Fails at a damaged line, behind which there may be others. */
const copyRest = async (
  { context, sums }: Session,
  path: string,
  { write }: Sink,
): Promise<E.Either<Failure, void>> => {
  const { signal } = new AbortController()
  let position = 0
  const reached = sums.sum().records
  for await (const kept of keptRecords(path, context.runtime.files, signal)) {
    position += 1
    if (E.isLeft(kept)) return kept
    if (position <= reached) continue
    await write(lineOf(kept.right))
    sums.add(kept.right.record)
  }
  return E.right(undefined)
}
