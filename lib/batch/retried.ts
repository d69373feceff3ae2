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
 * Writes the records that are there anew beside them: answered ones as they are, the others asked again. The
 * new file takes the old one's place however that ends, with what was not reached as it was. Then the run goes
 * on as any resumed one, so that from there on nothing is lost by a kill either. R7
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

/** A run that stopped is complete where the input has no row behind the records, kept ones among them. R10 */
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

/** Whether the input is a file; a pipe gives its rows once. */
const canReadTwice =
  ({ context: { runtime, flags } }: Scene): T.Task<boolean> =>
  async () =>
    flags.input !== '-' && (await runtime.files.size(flags.input).catch(() => 0)) !== undefined

/** Whether an output holds a record that could be asked again. */
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
        // What was gained is picked up by the next run that resumes.
        TE.orElseFirstTaskK(
          () => () => (scene.sums.sum().records === 0 ? redo.discard() : redo.leave()),
        ),
        TE.map((outcome) => ({ ...outcome, summary: scene.sums.sum() })),
      ),
    ),
  )

/** Asks about the rows after the records, in the file that has just taken the old one's place. */
const continued = (scene: Scene, path: string, input: OpenInput): TE.TaskEither<Failure, Outcome> =>
  TE.bracket(
    openOutput(scene.context.runtime, path, true),
    (file) => asked(scene, input, asks(input.items), fileSink(path, file)),
    (file) => TE.fromTask(() => file.close()),
  )

/** Compares all of the file with the input before anything is asked, where the input can be read twice. */
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
