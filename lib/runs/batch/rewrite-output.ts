import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import type { Replacement } from '../../runtime/runtime'
import { isAnswered } from '../record/outcome'
import type { BatchStep } from './batch-loop'
import {
  askAndRecord,
  type BatchRun,
  createRunOutcome,
  openRunItems,
  type RunEnd,
  type RunOutcome,
} from './batch-run'
import { pairRecords, readUncounted } from './compare-output'
import { catchOutputError, createFileWriter, type RunOutput } from './output'
import { isRegularFile, type OpenItems } from './read-items'

/** Turns each item of an input into a step without a record, so that its request is sent. */
export async function* createAskSteps({
  items,
}: OpenItems): AsyncGenerator<BatchStep, void, undefined> {
  for await (const item of items) yield E.right({ item })
}

/**
 * Writes the records to a new file, which replaces the output at the end, even after an interrupt. A run that was stopped before
 * its first record leaves the output unchanged.
 */
export const overwriteOutput = (
  run: BatchRun,
  output: RunOutput,
  input: OpenItems,
): Promise<E.Either<Failure, RunOutcome>> =>
  rewriteOutput(run, output, input, {
    steps: createAskSteps(input),
    finish: async (_, { end, summary }) =>
      E.right(summary.records > 0 || end.kind === 'complete' ? 'replace' : 'discard'),
  })

/**
 * Retries the failed rows of an output:
 *
 * 1. Writes a new file with the records of the output. The requests of failed rows are sent again; the records of answered rows are
 *    unchanged. If the run ends early, copies the remaining records.
 * 2. Replaces the output by the new file.
 * 3. Continues with the rows after the last record of the output, if the run has not ended.
 */
export const retryErrors = async (
  run: BatchRun,
  output: RunOutput,
  input: OpenItems,
): Promise<E.Either<Failure, RunOutcome>> => {
  const { interrupt } = run.setup
  const checked = await catchOutputError(output, interrupt, () => checkAgainstInput(run, output))
  if (E.isLeft(checked)) return checked
  const steps = createRetrySteps(run, output, input)
  const finish = (file: Replacement) => copyUncounted(run, output, file)
  const rewritten = await rewriteOutput(run, output, input, { steps, finish })
  if (E.isLeft(rewritten) || rewritten.right.end.kind !== 'complete') return rewritten
  const writer = createFileWriter(output.path, output.file)
  return E.right(await askAndRecord(run, input, createAskSteps(input), writer))
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
    outcome: RunOutcome,
  ) => Promise<E.Either<Failure, 'replace' | 'discard'>>
}

/**
 * Processes steps and writes their records to a new file, which may then replace the output. If the output could not be read or
 * written, the new file is deleted.
 */
const rewriteOutput = async (
  run: BatchRun,
  output: RunOutput,
  input: OpenItems,
  { steps, finish }: Rewriting,
): Promise<E.Either<Failure, RunOutcome>> => {
  const { interrupt } = run.setup
  const opened = await catchOutputError(output, interrupt, async () =>
    E.right(await output.file.startReplacement()),
  )
  if (E.isLeft(opened)) return opened
  const file = opened.right
  const outcome = await askAndRecord(run, input, steps, createFileWriter(output.path, file))
  const finished = await catchOutputError(output, interrupt, async () => {
    if (mustKeepOutput(outcome.end)) return E.right('discard')
    const decided = await finish(file, outcome)
    if (E.isRight(decided) && decided.right === 'replace') await replaceOutput(output, file)
    return decided
  })
  if (E.isLeft(finished) || finished.right === 'discard') await file.discard()
  if (E.isLeft(finished)) return finished
  return E.right(await createRunOutcome(run, input, outcome.end))
}

/** Replaces the output by a new file, which becomes the open file of the output. */
const replaceOutput = async (output: RunOutput, file: Replacement): Promise<void> => {
  const oldFile = output.file
  output.file = await file.commit()
  await oldFile.close()
}

/** Returns `true` if records could not be read or written. The new file is then incomplete and must not replace the output. */
const mustKeepOutput = ({ kind }: RunEnd): boolean => kind === 'mismatch' || kind === 'unwritable'
