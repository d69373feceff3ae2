import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { endSpan } from '../../client/call/observe'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { writeCount } from '../../failure/text/table'
import { reasonOf } from '../../runtime/node/error-reason'
import { askAll, type Step } from './ask-all'
import type { Item, Written } from './ask-row'
import { type BatchOutcome, failureOf, type RunEnd } from './conclude'
import { countItems, type OpenInput, openItems } from './items'
import type { Output, Sink } from './output'
import type { PacedRun } from './pace'
import { showProgress } from './progress'
import { keep, pairRecords, readRecords } from './resume'
import type { BatchContext, Prepared } from './settings'
import type { Sums } from './summary'

/** All that a batch run works with. */
export interface Session {
  readonly context: BatchContext
  readonly ready: Prepared
  readonly run: PacedRun
  readonly sums: Sums
  /** Ends the reading of the input. Fires at an interrupt, and when the run is over. */
  readonly reading: AbortController
}

/** Opens the input of the run. */
export const openInput = ({ context, ready, run, reading }: Session) =>
  openItems(context, ready, reading.signal, run.reuse)

/** Turns every item of an input into a step that asks it. */
export async function* askEvery(items: AsyncIterable<Item>): AsyncGenerator<Step, void, undefined> {
  for await (const item of items) yield E.right({ item })
}

/** Pairs the records in the output with the items of the input. */
export const pairOutput = (
  { context, ready, run }: Session,
  { path }: Output,
  { items }: OpenInput,
) => {
  const records = readRecords(path, context.runtime.files, run.interrupt)
  return pairRecords(path, records, items, ready.plan, run.interrupt)
}

/**
 * Reads the records of the output that have not been summed up yet. An interrupt does not end that, since the
 * summary is to speak of the whole file. Fails at a damaged line, behind which there may be other records.
 */
export async function* readRest(
  { context, ready, sums }: Session,
  { path }: Output,
): AsyncGenerator<E.Either<Failure, Written>, void, undefined> {
  const { signal } = new AbortController()
  let left = sums.sum().records
  for await (const found of readRecords(path, context.runtime.files, signal)) {
    if (E.isLeft(found)) yield found
    else if ('record' in found.right && left-- <= 0) yield E.right(keep(found.right, ready.plan))
  }
}

/**
 * Runs `work`, which reads or writes the output file. Whatever it throws becomes a usage error, or an
 * interrupt.
 */
export const useOutput = <A>(
  { run }: Session,
  { path }: Output,
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
    session: Session,
    input: OpenInput,
    steps: AsyncIterable<Step>,
    sink: Sink,
  ): TE.TaskEither<Failure, BatchOutcome> =>
  async () => {
    const { context, ready, run, sums, reading } = session
    const { stderr, clock } = context.runtime
    const span = context.tracer.start('svc.batch', {
      attributes: { 'gen_ai.operation.name': 'batch' },
    })
    const stopProgress = showProgress(stderr, clock, sums.sum, () =>
      countItems(context, ready, reading.signal),
    )
    let isWriting = false
    const write = async (records: ReadonlyArray<Written>): Promise<'more' | 'enough'> => {
      isWriting = true
      const wanted = await sink.write(Buffer.concat(records.map(({ line }) => line)))
      isWriting = false
      for (const { tally } of records) sums.add(tally)
      return wanted
    }
    const client = { ...run.client, parent: span }
    let end: RunEnd
    try {
      const asked = await askAll(steps, { ...run, client }, write)
      end = asked.is === 'unpriced' ? describeUnpriced(session, asked.index) : asked
    } catch (error) {
      const what = isWriting ? `write ${sink.name}` : `read rows: ${input.name}`
      const failure = usage(`${what}: ${reasonOf(error)}: ${describeStanding(session)}`)
      end = { is: isWriting ? 'unwritable' : 'unreadable', failure }
    }
    await stopProgress()
    endSpan(span, failureOf(end))
    return E.right(await outcomeOf(session, input, end))
  }

const describeUnpriced = (session: Session, index: number): RunEnd => {
  const why = `the answer to row ${index} does not tell its tokens, so --max-cost cannot be kept`
  return { is: 'unpriced', failure: usage(`${why}: ${describeStanding(session)}`) }
}

/** Says how many records stand where a run could not go on. */
const describeStanding = ({ sums }: Session): string => {
  const { records } = sums.sum()
  return writeCount(records, 'record', 'stands', 'stand')
}

/** The outcome of a run with this end: a stopped one is complete where it has recorded every row. */
export const outcomeOf = async (
  { context, sums }: Session,
  input: OpenInput,
  end: RunEnd,
): Promise<BatchOutcome> => {
  const { records } = sums.sum()
  const isComplete =
    end.is === 'complete' ||
    ((end.is === 'stopped' || end.is === 'alike') &&
      !(await hasMore(input, records, context.runtime.clock)))
  return { end, isComplete, summary: sums.sum(), remarks: input.remarks() }
}

/** How long an input that may stay silent, such as a pipe, is given to say whether it ends, in milliseconds. */
const patienceMs = 1000

/** Whether the input has more items than this. An input that does not say so in time counts as having more. */
const hasMore = (
  { items, taken }: OpenInput,
  count: number,
  { timer }: BatchContext['runtime']['clock'],
): Promise<boolean> =>
  new Promise((resolve) => {
    const cancel = timer(patienceMs, () => resolve(true))
    const look = async (): Promise<boolean> => {
      while (taken() <= count) if ((await items.next()).done) return false
      return true
    }
    look()
      .catch(() => true)
      .then((more) => {
        cancel()
        resolve(more)
      })
  })

/** Whether the answers gained so far are of no use to the output: it could not be read or written. */
export const isLost = ({ is }: RunEnd): boolean => is === 'mismatch' || is === 'unwritable'
