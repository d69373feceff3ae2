import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Result } from '../cli/declaration'
import { endSpan } from '../client/observe'
import { type Failure, interrupted, usage } from '../failure/failure'
import { decodeRecord, isAnswered } from '../run/decode'
import { reasonOf } from '../runtime/reason'
import type { OutputFile } from '../runtime/runtime'
import type { Item } from './ask-row'
import { concluded, type Outcome } from './conclude'
import type { BatchContext, Prepared } from './context'
import { type OpenInput, openItems } from './items'
import { fileSink, openOutput, type Sink, stdoutSink } from './output'
import type { PacedRun } from './paced-run'
import { progress } from './progress'
import { keptRecords, paired } from './resume'
import { askAll, type End, lineOf, type Step } from './run'
import { type Summary, summing } from './summary'

type Sums = ReturnType<typeof summing>

/** A run about to ask. */
interface Scene {
  readonly context: BatchContext
  readonly ready: Prepared
  readonly run: PacedRun
  readonly sums: Sums
}

/** Asks about the rows and records them where `--output` says. R7 */
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
    openOutput(runtime, output, flags.resume),
    (file) =>
      pipe(
        flags['retry-errors'] ? retried(scene, output, file) : resumed(scene, output, file),
        TE.chain((outcome) => concluded(context, ready.policy, run.attempts(), outcome)),
      ),
    (file) => TE.fromTask(() => file.close()),
  )
}

const opened = ({ context, ready, run }: Scene): TE.TaskEither<Failure, OpenInput> =>
  openItems(context.runtime, context.flags, ready.settings, ready.fields, run.halt.signal)

async function* asks(items: AsyncIterable<Item>): AsyncGenerator<Step, void, undefined> {
  for await (const item of items) yield E.right({ item })
}

/** Goes on after the records that are there, if there are any. */
const resumed = (scene: Scene, path: string, file: OutputFile): TE.TaskEither<Failure, Outcome> =>
  pipe(
    opened(scene),
    TE.bindTo('input'),
    TE.bind('_', ({ input }) => verified(scene, path, file, input)),
    TE.chain(({ input }) => asked(scene, input, asks(input.items), fileSink(path, file))),
  )

/** Compares the records that are there with the rows, and drops a last line that was cut off. */
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

const pairsOf = ({ context, ready, run }: Scene, path: string, items: AsyncIterator<Item>) => {
  const chunks = context.runtime.files.chunks(path, run.interrupt)
  return paired(path, keptRecords(path, chunks), items, ready.plan)
}

/** What reading or writing a file of ours throws. */
const guarded = <A>(
  { run }: Scene,
  path: string,
  work: () => Promise<E.Either<Failure, A>>,
): TE.TaskEither<Failure, A> =>
  pipe(
    TE.tryCatch(work, (error) =>
      run.interrupt.aborted ? interrupted : usage(`resume ${path}: ${reasonOf(error)}`),
    ),
    TE.chainEitherK((result) => result),
  )

/**
 * Writes the records that are there anew beside them: answered ones as they are, the others asked again. The
 * new file takes the old one's place however that ends, with what was not reached as it was. Then the run goes
 * on as any resumed one, so that from there on nothing is lost by a kill either. R7
 */
const retried = (scene: Scene, path: string, file: OutputFile): TE.TaskEither<Failure, Outcome> =>
  pipe(
    holdsErrors(scene, path, file),
    TE.chain((isNeeded) =>
      isNeeded
        ? pipe(
            agreed(scene, path),
            TE.chain(() => opened(scene)),
            TE.bindTo('input'),
            TE.bind('first', ({ input }) => redone(scene, path, file, input)),
            TE.chain(({ input, first }) =>
              first.end.is === 'complete'
                ? continued(scene, path, input)
                : stoppedBefore(input, first),
            ),
          )
        : resumed(scene, path, file),
    ),
  )

/** A run that stopped at the last record is complete only where the input has no row behind it. */
const stoppedBefore =
  ({ items }: OpenInput, outcome: Outcome): TE.TaskEither<Failure, Outcome> =>
  async () => {
    const { end } = outcome
    if (end.is !== 'stopped' || !end.last) return E.right(outcome)
    const next = await items.next()
    return E.right({ ...outcome, end: { is: 'stopped', last: next.done === true } })
  }

const holdsErrors = (
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
        TE.orElseFirstTaskK(() => () => redo.discard()),
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
  scene.context.flags.input === '-'
    ? TE.right(undefined)
    : pipe(
        opened(scene),
        TE.chain(({ items }) =>
          guarded(scene, path, async () => {
            for await (const pair of pairsOf(scene, path, items)) if (E.isLeft(pair)) return pair
            return E.right(undefined)
          }),
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

/** Asks, writes, and takes note of every record. */
const asked =
  (
    { context, run, sums }: Scene,
    input: OpenInput,
    steps: AsyncIterable<Step>,
    sink: Sink,
  ): TE.TaskEither<Failure, Outcome> =>
  async () => {
    const { runtime, tracer } = context
    const span = tracer.start('svc.batch', { attributes: { 'gen_ai.operation.name': 'batch' } })
    const size = await input.size()
    const line = progress(runtime.stderr, runtime.clock, () =>
      size === undefined || size === 0 ? undefined : 1 - input.read() / size,
    )
    let writing = false
    const write = async (lines: ReadonlyArray<Buffer>): Promise<'more' | 'enough'> => {
      writing = true
      const wanted = await sink.write(Buffer.concat(lines))
      writing = false
      let failed = 0
      for (const bytes of lines) {
        const record = decodeRecord(bytes, 0, 0)
        if (E.isLeft(record)) continue
        sums.add(record.right)
        if (!isAnswered(record.right.came)) failed += 1
      }
      line.wrote(lines.length, failed)
      return wanted
    }
    const client = { ...run.client, parent: span }
    let end: End
    try {
      end = await askAll(steps, { ...run, client, canPeek: size !== undefined }, write)
    } catch (error) {
      const what = writing ? `write ${sink.name}` : `read rows: ${input.name}`
      const { records } = sums.sum()
      const failure = usage(`${what}: ${reasonOf(error)}: ${records} records stand`)
      end = { is: 'failed', failure }
    }
    await line.stop()
    if (end.is === 'failed') endSpan(span, end.failure)
    else if (end.is === 'interrupted') endSpan(span, interrupted)
    else span.end()
    return E.right({ end, summary: sums.sum() satisfies Summary })
  }
