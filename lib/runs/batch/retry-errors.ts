import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../../failure/failure'
import type { Replacement } from '../../runtime/runtime'
import { isAnswered } from '../record/outcome'
import type { Step } from './ask-all'
import type { BatchOutcome } from './conclude'
import type { OpenInput } from './items'
import { fileSink, type Output } from './output'
import { readRecords } from './resume'
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

/** Whether the output holds a failed record. */
export const holdsErrors = (session: Session, output: Output): TE.TaskEither<Failure, boolean> =>
  useOutput(session, output, async () => {
    const { context, run } = session
    for await (const found of readRecords(output.path, context.runtime.files, run.interrupt))
      if (E.isRight(found) && 'record' in found.right && !isAnswered(found.right.record.outcome))
        return E.right(true)
    return E.right(false)
  })

/**
 * Asks the failed rows of an output again. Writes a new file beside it, with the answered records unchanged and
 * the failed ones asked again, which replaces the old one at the end, also when interrupted: records that were not
 * reached are copied as they are. Then the run goes on after the last record.
 */
export const retryErrors = (
  session: Session,
  output: Output,
  input: OpenInput,
): TE.TaskEither<Failure, BatchOutcome> =>
  pipe(
    checkAgainstInput(session, output),
    TE.chain(() => rewriteOutput(session, output, input)),
    TE.chain((outcome) =>
      outcome.end.is === 'complete'
        ? askAndRecord(session, input, askEvery(input.items), fileSink(output.path, output.file))
        : TE.right(outcome),
    ),
  )

/** Compares the whole output with the input before anything is asked, where the input can be read twice. */
const checkAgainstInput = (session: Session, output: Output): TE.TaskEither<Failure, void> => {
  const { input: path } = session.context.flags
  const { files } = session.context.runtime
  return useOutput(session, output, async () => {
    if (path === '-' || (await files.size(path)) === undefined) return E.right(undefined)
    const input = await openInput(session)()
    if (E.isLeft(input)) return input
    for await (const pair of pairOutput(session, output, input.right))
      if (E.isLeft(pair)) return pair
    return E.right(undefined)
  })
}

const rewriteOutput = (
  session: Session,
  output: Output,
  input: OpenInput,
): TE.TaskEither<Failure, BatchOutcome> =>
  pipe(
    useOutput(session, output, async () => E.right(await output.file.replacement())),
    TE.chain((replacement) =>
      pipe(
        askAndRecord(
          session,
          input,
          askFailed(session, output, input),
          fileSink(output.path, replacement),
        ),
        TE.chainFirst(({ end }) =>
          isLost(end)
            ? TE.fromTask(() => replacement.discard())
            : putInPlace(session, output, replacement),
        ),
        TE.chainTaskK(
          ({ end }) =>
            () =>
              outcomeOf(session, input, end),
        ),
      ),
    ),
  )

async function* askFailed(
  session: Session,
  output: Output,
  input: OpenInput,
): AsyncGenerator<Step, void, undefined> {
  for await (const pair of pairOutput(session, output, input))
    yield pipe(
      pair,
      E.map(({ item, kept, written }) =>
        isAnswered(kept.record.outcome) ? { item, kept: written } : { item },
      ),
    )
}

/** Copies the records that were not reached, and replaces the output by the new file. */
const putInPlace = (
  session: Session,
  output: Output,
  replacement: Replacement,
): TE.TaskEither<Failure, void> =>
  pipe(
    useOutput(session, output, async () => {
      for await (const kept of readRest(session, output)) {
        if (E.isLeft(kept)) return kept
        await replacement.append(kept.right.line)
        session.sums.add(kept.right.tally)
      }
      const old = output.file
      output.file = await replacement.commit()
      await old.close()
      return E.right(undefined)
    }),
    TE.orElseFirstTaskK(() => () => replacement.discard()),
  )
