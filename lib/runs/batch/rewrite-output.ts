import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import type { Replacement } from '../../runtime/runtime'
import { isAnswered } from '../record/outcome'
import type { BatchStep } from './batch-loop'
import {
  askAndRecord,
  type BatchRun,
  completeOutcome,
  openRunItems,
  type RunEnd,
  type RunOutcome,
} from './batch-run'
import { pairRecords, readUncounted } from './compare-output'
import { accessOutput, createFileWriter, type OutputOfRun } from './output'
import { isRegularFile, type OpenItems } from './read-items'

/** Turns every item of an input into a step that asks it. */
export async function* createAskSteps({
  items,
}: OpenItems): AsyncGenerator<BatchStep, void, undefined> {
  for await (const item of items) yield E.right({ item })
}

/**
 * Writes a new file beside the output, which replaces it at the end, also when interrupted. A run that has written no record
 * leaves the old file as it was.
 */
export const overwriteOutput = (
  run: BatchRun,
  output: OutputOfRun,
  input: OpenItems,
): Promise<E.Either<Failure, RunOutcome>> =>
  rewriteOutput(run, output, input, createAskSteps(input), async (_, { end, summary }) =>
    E.right(summary.records > 0 || end.kind === 'complete' ? 'replace' : 'discard'),
  )

/**
 * Asks the failed rows of an output again, and then the rows after its last record. The records up to there are written to a
 * new file, answered ones unchanged. It replaces the output once all are asked, or when the run ends early: the records that
 * were not reached are copied.
 */
export const retryErrors = async (
  run: BatchRun,
  output: OutputOfRun,
  input: OpenItems,
): Promise<E.Either<Failure, RunOutcome>> => {
  const { interrupt } = run.setup
  const checked = await accessOutput(output, interrupt, () => checkAgainstInput(run, output))
  if (E.isLeft(checked)) return checked
  const steps = createRetrySteps(run, output, input)
  const rewritten = await rewriteOutput(run, output, input, steps, (file) =>
    copyUncounted(run, output, file),
  )
  if (E.isLeft(rewritten) || rewritten.right.end.kind !== 'complete') return rewritten
  const writer = createFileWriter(output.path, output.file)
  return E.right(await askAndRecord(run, input, createAskSteps(input), writer))
}

/** Compares the whole output with the input before anything is asked, if the input can be read twice. */
const checkAgainstInput = async (
  run: BatchRun,
  output: OutputOfRun,
): Promise<E.Either<Failure, void>> => {
  if (!(await isRegularFile(run.runtime.files, run.options.input.path))) return E.right(undefined)
  const input = await openRunItems(run)
  if (E.isLeft(input)) return input
  for await (const pair of pairRecords(run, output, input.right)) if (E.isLeft(pair)) return pair
  return E.right(undefined)
}

/** Turns each record of the output into a step: a failed one asks its item, an answered one is taken over. */
async function* createRetrySteps(
  run: BatchRun,
  output: OutputOfRun,
  input: OpenItems,
): AsyncGenerator<BatchStep, void, undefined> {
  for await (const pair of pairRecords(run, output, input)) {
    if (E.isLeft(pair)) return yield pair
    const { item, old, encoded } = pair.right
    yield E.right(isAnswered(old.record.outcome) ? { item, record: encoded } : { item })
  }
}

/** Copies the records that the run has not reached into the new file. */
const copyUncounted = async (
  run: BatchRun,
  output: OutputOfRun,
  file: Replacement,
): Promise<E.Either<Failure, 'replace'>> => {
  for await (const old of readUncounted(run, output)) {
    if (E.isLeft(old)) return old
    await file.append(old.right.line)
    run.summary.add(old.right.tally)
  }
  return E.right('replace')
}

/**
 * Carries out the steps and writes their records into a new file. `finish` then decides whether it replaces the output. If
 * the output could not be read or written, the new file is deleted.
 */
const rewriteOutput = async (
  run: BatchRun,
  output: OutputOfRun,
  input: OpenItems,
  steps: AsyncIterable<BatchStep>,
  finish: (
    file: Replacement,
    outcome: RunOutcome,
  ) => Promise<E.Either<Failure, 'replace' | 'discard'>>,
): Promise<E.Either<Failure, RunOutcome>> => {
  const { interrupt } = run.setup
  const opened = await accessOutput(output, interrupt, async () =>
    E.right(await output.file.replacement()),
  )
  if (E.isLeft(opened)) return opened
  const file = opened.right
  const outcome = await askAndRecord(run, input, steps, createFileWriter(output.path, file))
  const finished = await accessOutput(output, interrupt, async () => {
    if (isOutputDamaged(outcome.end)) return E.right('discard')
    const decided = await finish(file, outcome)
    if (E.isRight(decided) && decided.right === 'replace') await replaceOutput(output, file)
    return decided
  })
  if (E.isLeft(finished) || finished.right === 'discard') await file.discard()
  if (E.isLeft(finished)) return finished
  return E.right(await completeOutcome(run, input, outcome.end))
}

const replaceOutput = async (output: OutputOfRun, file: Replacement): Promise<void> => {
  const old = output.file
  output.file = await file.commit()
  await old.close()
}

/** Returns `true` if the output could not be read or written, so that the new file must not replace it. */
const isOutputDamaged = ({ kind }: RunEnd): boolean => kind === 'mismatch' || kind === 'unwritable'
