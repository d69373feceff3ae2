import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Result } from '../cli/declaration'
import { type Failure, interrupted } from '../failure/failure'
import type { OutputFile } from '../runtime/runtime'
import { concluded, type Outcome } from './conclude'
import type { BatchContext, Prepared } from './context'
import type { OpenInput } from './items'
import { fileSink, openOutput, stdoutSink } from './output'
import { holdsErrors, retried } from './retried'
import { asked, asks, guarded, opened, pairsOf, type Scene } from './scene'
import { summing } from './summary'
import { finishRetry } from './unfinished'

/** Asks about the rows and writes their records to stdout or to the file of `--output`. R7 */
export const recorded = (
  context: BatchContext,
  ready: Prepared,
  run: Scene['run'],
): TE.TaskEither<Failure, Result> => {
  const { runtime, flags } = context
  const scene = { context, ready, run, sums: summing() }
  const { output } = flags
  if (output === undefined)
    return pipe(
      opened(scene),
      TE.chain((input) => asked(scene, input, asks(input.items), stdoutSink(runtime))),
      TE.chain((outcome) => concluded(context, ready.policy, run.attempts(), outcome)),
    )
  return TE.bracket(
    pipe(
      openOutput(runtime, output, flags.resume),
      TE.chain((file) => afterRetry(scene, output, file)),
    ),
    (file) =>
      pipe(
        flags['retry-errors'] ? holdsErrors(scene, output, file) : TE.right(false),
        TE.chain((hasErrors) =>
          hasErrors ? retried(scene, output, file) : resumed(scene, output, file),
        ),
        TE.chain((outcome) => concluded(context, ready.policy, run.attempts(), outcome)),
      ),
    (file) => TE.fromTask(() => file.close()),
  )
}

/**
 * First completes what an earlier run with `--retry-errors` gained before it was killed. Opens the output again
 * where that replaced it.
 */
const afterRetry = (
  scene: Scene,
  path: string,
  file: OutputFile,
): TE.TaskEither<Failure, OutputFile> => {
  const { files, signal } = scene.context.runtime
  if (file.size === 0) return TE.right(file)
  return pipe(
    guarded(scene, path, async () => E.right(await finishRetry(path, file, files, signal))),
    TE.orElseFirstTaskK(() => () => file.close()),
    TE.chainFirstTaskK((isFinished) => () => (isFinished ? file.close() : Promise.resolve())),
    TE.chain((isFinished) =>
      isFinished ? openOutput(scene.context.runtime, path, true) : TE.right(file),
    ),
  )
}

/** Continues after the records that the output already holds, if any. */
const resumed = (scene: Scene, path: string, file: OutputFile): TE.TaskEither<Failure, Outcome> =>
  pipe(
    opened(scene),
    TE.bindTo('input'),
    TE.bind('_', ({ input }) => verified(scene, path, file, input)),
    TE.chain(({ input }) => asked(scene, input, asks(input.items), fileSink(path, file))),
  )

/** Checks that the records in the output belong to the rows of the input, and removes a torn last line. */
const verified = (
  scene: Scene,
  path: string,
  file: OutputFile,
  input: OpenInput,
): TE.TaskEither<Failure, void> =>
  guarded(scene, path, async () => {
    if (file.size === 0) return E.right(undefined)
    let [size, ended] = [0, true]
    for await (const pair of pairsOf(scene, path, input.items)) {
      if (E.isLeft(pair)) return pair
      const { kept } = pair.right
      scene.sums.add(kept.record)
      size = kept.next
      ended = kept.ended
    }
    if (scene.run.interrupt.aborted) return E.left(interrupted)
    if (size < file.size) await file.truncate(size)
    if (!ended) await file.append(Buffer.from('\n'))
    return E.right(undefined)
  })
