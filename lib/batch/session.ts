import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { endSpan } from '../client/observe'
import { type Failure, interrupted, usage } from '../failure/failure'
import { reasonOf } from '../runtime/node/error-reason'
import { askAll, type End, type Step } from './ask-all'
import type { Item } from './ask-row'
import type { Outcome } from './conclude'
import type { BatchContext, Prepared } from './context'
import { type OpenInput, openItems } from './items'
import type { Sink } from './output'
import type { PacedRun } from './paced-run'
import { progress } from './progress'
import { keptRecords, pairRecords } from './resume'
import type { summing } from './summary'

type Sums = ReturnType<typeof summing>

/** All that a batch run works with. */
export interface Session {
  readonly context: BatchContext
  readonly ready: Prepared
  readonly run: PacedRun
  readonly sums: Sums
}

/** Opens the input of the run. */
export const openInput = ({ context, ready, run }: Session): TE.TaskEither<Failure, OpenInput> =>
  openItems(context, ready, run.halt.signal)

/** Turns every item of an input into a step that asks it. */
export async function* askEvery(items: AsyncIterable<Item>): AsyncGenerator<Step, void, undefined> {
  for await (const item of items) yield E.right({ item })
}

/** The records in the output, each with its item of the input. */
export const pairsOf = (
  { context, ready, run }: Session,
  path: string,
  items: AsyncIterator<Item>,
) => pairRecords(path, keptRecords(path, context.runtime.files, run.interrupt), items, ready.plan)

/**
 * Runs `work`, which reads or writes the output file. Whatever it throws becomes a usage error, or an
 * interrupt.
 */
export const withOutput = <A>(
  { run }: Session,
  path: string,
  work: () => Promise<E.Either<Failure, A>>,
): TE.TaskEither<Failure, A> =>
  pipe(
    TE.tryCatch(work, (error) =>
      run.interrupt.aborted ? interrupted : usage(`resume ${path}: ${reasonOf(error)}`),
    ),
    TE.chainEitherK((result) => result),
  )

/** Carries out the steps: asks, writes the records, sums them up, shows the progress. */
export const askAndRecord =
  (
    { context, run, sums }: Session,
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
      const { failed } = sums.sum()
      for (const bytes of lines) sums.addLine(bytes)
      line.wrote(lines.length, sums.sum().failed - failed)
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
    return E.right({ end, summary: sums.sum() })
  }
