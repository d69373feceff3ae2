import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type * as T from 'fp-ts/Task'
import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../failure/failure'
import { isAnswered } from '../run/decode'
import type { OutputFile } from '../runtime/runtime'
import type { Item } from './ask-row'
import type { Outcome } from './conclude'
import { type OpenInput, openItems } from './items'
import { fileSink, openOutput, type Sink } from './output'
import { keptRecords } from './resume'
import { lineOf, type Step } from './run'
import { asked, asks, guarded, opened, pairsOf, type Scene } from './scene'

/**
 * Asks the failed rows of an output again. Writes a new file beside it, with the answered records unchanged and
 * the failed ones asked again. The new file replaces the old one however that ends: records that were not
 * reached are copied as they are. The run then continues like any resumed one, writing to the output directly,
 * so that a kill loses nothing. R7
 */
export const retried = (
  scene: Scene,
  path: string,
  file: OutputFile,
): TE.TaskEither<Failure, Outcome> =>
  pipe(
    agreed(scene, path),
    TE.chain(() => opened(scene)),
    TE.bindTo('input'),
    TE.bind('first', ({ input }) => redone(scene, path, file, input)),
    TE.chain(({ input, first }) =>
      first.end.is === 'complete' ? continued(scene, path, input) : stopped(scene, path, first),
    ),
  )

/**
 * Decides whether a run that `--fail-fast` stopped is complete: it is where the input has no further row after
 * the records, old ones included. R10
 */
const stopped = (scene: Scene, path: string, outcome: Outcome): TE.TaskEither<Failure, Outcome> => {
  const { context, ready, run } = scene
  const { end, summary } = outcome
  if (end.is !== 'stopped') return TE.right(outcome)
  const ended = (last: boolean): Outcome => ({ ...outcome, end: { is: 'stopped', last } })
  return pipe(
    TE.fromTask(canReadTwice(scene)),
    TE.chain((isFile) =>
      isFile
        ? pipe(
            openItems(context.runtime, context.flags, ready.settings, ready.fields, run.interrupt),
            TE.chain(({ items }) =>
              guarded(scene, path, async () => {
                let left = summary.records
                for await (const _ of items) if (left-- === 0) return E.right(ended(false))
                return E.right(ended(!run.interrupt.aborted))
              }),
            ),
          )
        : TE.right(ended(false)),
    ),
  )
}

/** Whether the input is a file. A pipe can be read only once. */
const canReadTwice =
  ({ context: { runtime, flags } }: Scene): T.Task<boolean> =>
  async () =>
    flags.input !== '-' && (await runtime.files.size(flags.input).catch(() => 0)) !== undefined

/** Whether the output holds a failed record. */
export const holdsErrors = (
  scene: Scene,
  path: string,
  file: OutputFile,
): TE.TaskEither<Failure, boolean> =>
  guarded(scene, path, async () => {
    if (file.size === 0) return E.right(false)
    const chunks = scene.context.runtime.files.chunks(path, scene.run.interrupt)
    for await (const kept of keptRecords(path, chunks))
      if (E.isRight(kept) && !isAnswered(kept.right.record.came)) return E.right(true)
    return E.right(false)
  })

const redone = (
  scene: Scene,
  path: string,
  file: OutputFile,
  input: OpenInput,
): TE.TaskEither<Failure, Outcome> =>
  pipe(
    guarded(scene, path, async () => E.right(await file.redo())),
    TE.chain((redo) =>
      pipe(
        asked(scene, input, again(scene, path, input.items), fileSink(path, redo)),
        TE.chainFirst(({ end }) =>
          end.is === 'failed' && end.failure._tag === 'Usage'
            ? TE.left(end.failure)
            : guarded(scene, path, async () => {
                if (end.is !== 'complete') await copyRest(scene, path, fileSink(path, redo))
                await redo.commit()
                return E.right(undefined)
              }),
        ),
        // The next run that resumes picks up what was gained.
        TE.orElseFirstTaskK(
          () => () => (scene.sums.sum().records === 0 ? redo.discard() : redo.leave()),
        ),
        TE.map((outcome) => ({ ...outcome, summary: scene.sums.sum() })),
      ),
    ),
  )

/** Asks about the rows after the last record, and appends to the file that has just replaced the old one. */
const continued = (scene: Scene, path: string, input: OpenInput): TE.TaskEither<Failure, Outcome> =>
  TE.bracket(
    openOutput(scene.context.runtime, path, true),
    (file) => asked(scene, input, asks(input.items), fileSink(path, file)),
    (file) => TE.fromTask(() => file.close()),
  )

/** Compares the whole output with the input before anything is asked, where the input can be read twice. */
const agreed = (scene: Scene, path: string): TE.TaskEither<Failure, void> =>
  pipe(
    TE.fromTask(canReadTwice(scene)),
    TE.chain((isFile) =>
      isFile
        ? pipe(
            opened(scene),
            TE.chain(({ items }) =>
              guarded(scene, path, async () => {
                for await (const pair of pairsOf(scene, path, items))
                  if (E.isLeft(pair)) return pair
                return E.right(undefined)
              }),
            ),
          )
        : TE.right(undefined),
    ),
  )

async function* again(
  scene: Scene,
  path: string,
  items: AsyncIterator<Item>,
): AsyncGenerator<Step, void, undefined> {
  for await (const pair of pairsOf(scene, path, items))
    yield pipe(
      pair,
      E.map(({ item, kept }) => (isAnswered(kept.record.came) ? { item, kept } : { item })),
    )
}

const copyRest = async ({ context, sums }: Scene, path: string, { write }: Sink): Promise<void> => {
  const { signal } = new AbortController()
  let position = 0
  const reached = sums.sum().records
  for await (const kept of keptRecords(path, context.runtime.files.chunks(path, signal))) {
    position += 1
    if (position <= reached || E.isLeft(kept)) continue
    await write(lineOf(kept.right))
    sums.add(kept.right.record)
  }
}
