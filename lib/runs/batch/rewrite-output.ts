import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { messageOf } from '../../failure/report'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Replacement } from '../../runtime/runtime'
import { isAnswered } from '../record/outcome'
import { appendRecords, createAskSteps } from './append-output'
import {
  askAndRecord,
  type BatchRun,
  createRunOutcome,
  openRunItems,
  type RecordingEnd,
  type RunOutcome,
} from './batch-run'
import type { BatchStep } from './batch-setup'
import { pairRecords, readUncounted } from './compare-output'
import { countNewAnswers, describeNewAnswers } from './leftovers'
import { catchResumeError, createFileWriter, type RunOutput } from './output'
import { isRegularFile, type OpenItems } from './read-items'

/** Asks every row, and writes the records to a new file, which replaces the output at the end. */
export const overwriteOutput = async (
  run: BatchRun,
  output: RunOutput,
  input: OpenItems,
): Promise<E.Either<Failure, RunOutcome>> => {
  const rewritten = await rewriteOutput(run, output, input, {
    steps: createAskSteps(input),
    finish: async (_, end) => {
      const hasRecords = run.summary.sum().records > 0
      return E.right(hasRecords || end.kind === 'complete' ? 'replace' : 'discard')
    },
  })
  if (E.isLeft(rewritten)) return rewritten
  return E.right(await createRunOutcome(run, input, rewritten.right))
}

/**
 * Retries the failed rows of an output. Writes a new file with the records of the output, in which the requests of failed rows are sent
 * again and the records of answered rows are unchanged. The new file replaces the output. If the run has not ended then, continues with
 * the rows after the last record of the output.
 */
export const retryErrors = async (
  run: BatchRun,
  output: RunOutput,
  input: OpenItems,
): Promise<E.Either<Failure, RunOutcome>> => {
  const checked = await catchResumeError(output, run.setup.interrupt, () =>
    checkAgainstInput(run, output),
  )
  if (E.isLeft(checked)) return checked
  const rewritten = await rewriteOutput(run, output, input, {
    steps: createRetrySteps(run, output, input),
    finish: (file) => copyUncounted(run, output, file),
  })
  if (E.isLeft(rewritten)) return rewritten
  return E.right(
    rewritten.right.kind === 'complete'
      ? await appendRecords(run, output, input)
      : await createRunOutcome(run, input, rewritten.right),
  )
}

/** Compares the whole output with the input before the first request, if the input can be read twice. */
const checkAgainstInput = async (
  run: BatchRun,
  output: RunOutput,
): Promise<E.Either<Failure, void>> => {
  if (!(await isRegularFile(run.runtime.files, run.options.input.path))) return E.right(undefined)
  const input = await openRunItems(run)
  if (E.isLeft(input)) return input
  for await (const pair of pairRecords(run, output, input.right)) if (E.isLeft(pair)) return pair
  return E.right(undefined)
}

/** Turns each record of the output into a step. The step of an answered row has its record, so that its request is not sent again. */
async function* createRetrySteps(
  run: BatchRun,
  output: RunOutput,
  input: OpenItems,
): AsyncGenerator<BatchStep, void, undefined> {
  for await (const pair of pairRecords(run, output, input)) {
    if (E.isLeft(pair)) return yield pair
    const { item, old, encoded } = pair.right
    yield E.right(isAnswered(old.record.outcome) ? { item, record: encoded } : { item })
  }
}

/** Copies the records of the output that the run has not reached to the new file, and adds them to the summary. */
const copyUncounted = async (
  run: BatchRun,
  output: RunOutput,
  file: Replacement,
): Promise<E.Either<Failure, 'replace'>> => {
  for await (const old of readUncounted(run, output)) {
    if (E.isLeft(old)) return old
    await file.append(old.right.line)
    run.summary.add(old.right.tally)
  }
  return E.right('replace')
}

interface Rewriting {
  readonly steps: AsyncIterable<BatchStep>
  /** Completes the new file after the steps, and decides whether it replaces the output. */
  readonly finish: (
    file: Replacement,
    end: RecordingEnd,
  ) => Promise<E.Either<Failure, 'replace' | 'discard'>>
}

/**
 * Processes steps and writes their records to a new file, which then replaces the output. Resolves with the reason for the end of the
 * steps. Fails if the output is unchanged although there were records for it. The message then names the new file, if it has answers
 * that the output lacks.
 */
const rewriteOutput = async (
  run: BatchRun,
  output: RunOutput,
  input: OpenItems,
  { steps, finish }: Rewriting,
): Promise<E.Either<Failure, RecordingEnd>> => {
  let file: Replacement
  try {
    file = await output.file.startReplacement()
  } catch (error) {
    return E.left(describeWriteError(output, error))
  }
  const end = await askAndRecord(run, input, steps, createFileWriter(output.path, file))
  const finished = await finishRewriting(output, file, end, finish)
  if (E.isRight(finished) && finished.right === 'replace') return E.right(end)
  if (E.isRight(finished)) {
    await file.discard()
    return 'reason' in end ? E.left(failUnchanged(end.reason)) : E.right(end)
  }
  // After a failed write, another failure is only its consequence.
  const failure = 'reason' in end ? failUnchanged(end.reason) : finished.left
  const newAnswers = await countNewAnswers(file.path, output.path, run.runtime.files)
  if (newAnswers === 0) {
    await file.discard()
    return E.left(failure)
  }
  await file.keep()
  return E.left(usage(`${messageOf(failure)}; ${describeNewAnswers(file.path, newAnswers)}`))
}

const failUnchanged = (reason: string): Failure => usage(`${reason}: the output is unchanged`)

/** Completes the new file, and replaces the output by it unless it must be discarded. Fails if the output is unchanged. */
const finishRewriting = async (
  output: RunOutput,
  file: Replacement,
  end: RecordingEnd,
  finish: Rewriting['finish'],
): Promise<E.Either<Failure, 'replace' | 'discard'>> => {
  if (end.kind === 'refused') return E.left(end.failure)
  try {
    const decided = await finish(file, end)
    if (E.isRight(decided) && decided.right === 'replace') output.file = await file.commit()
    return decided
  } catch (error) {
    return E.left(describeWriteError(output, error))
  }
}

const describeWriteError = ({ path }: RunOutput, error: unknown): Failure =>
  failUnchanged(`write ${path}: ${reasonOf(error)}`)
