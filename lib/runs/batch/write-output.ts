import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { runFileOperation } from '../../failure/named-files'
import { createAskSteps, resumeOutput } from './append-output'
import {
  askAndRecord,
  type BatchRun,
  createRunOutcome,
  openRunItems,
  type RunOutcome,
} from './batch-run'
import { hasFailedRecords } from './compare-output'
import { reportLeftovers } from './leftovers'
import { catchResumeError, createStdoutWriter, openRunOutput, type RunOutput } from './output'
import { isRegularFile, type OpenItems } from './read-items'
import { overwriteOutput, retryErrors } from './rewrite-output'
import type { OutputOptions } from './run-options'

/**
 * Sends the requests of the rows, and writes their records to stdout or to the output file. The states of an output file:
 *
 *     open, lock ──► has records? ── no ───────────────────────────────► APPEND
 *                        │ yes
 *                        ├─ no flag ───────────────────────────────────► refused: nothing is sent
 *                        ├─ --resume ──────────► COMPARE ─► cut ───────► APPEND
 *                        ├─ --retry-errors
 *                        │     no failed record: as --resume
 *                        │     otherwise ──────► COMPARE ─► REWRITE ───► APPEND
 *                        └─ --overwrite ──────────────────► REWRITE
 *
 *     COMPARE   Each record must belong to the next row of the input. If one does not, the run fails and the file is unchanged.
 *     cut       Removes a last line that was not written to its end.
 *     APPEND    Asks the rows that have no record, and appends their records. What is written stays, however the run ends.
 *     REWRITE   Asks rows, and writes a new file beside the output. However that ends, no answer in it is lost:
 *
 *         the rows end, an interrupt, no credit, an unreadable input, a full disk …
 *             ──► copy the records that --retry-errors has not reached ──► the new file replaces the output
 *         the new file has no record, and not all rows were processed ───► it is deleted
 *         the output has records of other rows, or cannot be replaced
 *             ├─ the new file has answers that the output lacks ─────────► it stays, and the message names it
 *             └─ otherwise ──────────────────────────────────────────────► it is deleted
 *
 * A kill leaves the new file of a REWRITE beside the output. The next run with that output deletes it if the output has all its answers.
 * Otherwise it names the file.
 */
export const writeRunOutput = async (run: BatchRun): Promise<E.Either<Failure, RunOutcome>> => {
  const { options, setup, inputController } = run
  // The reading of the input ends at an interrupt, or below, when the run is over.
  setup.interrupt.addEventListener('abort', () => inputController.abort())
  if (setup.interrupt.aborted) inputController.abort()
  const { output } = options
  try {
    return await (output === undefined ? writeToStdout(run) : writeToFile(run, output))
  } finally {
    // Without this, the counting of rows for the progress line, or a read from a silent pipe, would keep the program alive.
    inputController.abort()
  }
}

const writeToStdout = async (run: BatchRun): Promise<E.Either<Failure, RunOutcome>> => {
  const input = await openRunItems(run)
  if (E.isLeft(input)) return input
  const writer = createStdoutWriter(run.runtime)
  const end = await askAndRecord(run, input.right, createAskSteps(input.right), writer)
  return E.right(await createRunOutcome(run, input.right, end))
}

const writeToFile = async (
  run: BatchRun,
  { path, existing }: OutputOptions,
): Promise<E.Either<Failure, RunOutcome>> => {
  const fileInput = await openFileInput(run)
  if (E.isLeft(fileInput)) return fileInput
  const output = await openRunOutput(run.runtime, path)
  if (E.isLeft(output)) return output
  try {
    return await writeRecords(run, output.right, existing, fileInput.right)
  } finally {
    await output.right.file.close()
  }
}

/**
 * Opens an input that is a regular file. This happens before the output is created, to avoid an empty output if the input is
 * unreadable. Resolves with `undefined` for other inputs: a pipe may send its first row much later.
 */
const openFileInput = async (run: BatchRun): Promise<E.Either<Failure, OpenItems | undefined>> => {
  const { path } = run.options.input
  const isFile = await runFileOperation(`read rows: ${path}`, () =>
    isRegularFile(run.runtime.files, path),
  )()
  if (E.isLeft(isFile)) return isFile
  return isFile.right ? openRunItems(run) : E.right(undefined)
}

/** Writes to an open output. `fileInput` is the input if it is open already. */
const writeRecords = async (
  run: BatchRun,
  output: RunOutput,
  existing: OutputOptions['existing'],
  fileInput: OpenItems | undefined,
): Promise<E.Either<Failure, RunOutcome>> => {
  const isEmpty = output.file.size === 0
  if (existing === 'refuse' && !isEmpty) {
    const hint = 'pass --resume to go on with its run, or --overwrite to replace it'
    return E.left(usage(`${output.path} is not empty: ${hint}`))
  }
  await reportLeftovers(run, output)
  const mustRetry = await catchResumeError(output, run.setup.interrupt, async () =>
    E.right(existing === 'retry' && (await hasFailedRecords(run, output))),
  )
  if (E.isLeft(mustRetry)) return mustRetry
  const input = fileInput === undefined ? await openRunItems(run) : E.right(fileInput)
  if (E.isLeft(input)) return input
  if (mustRetry.right) return retryErrors(run, output, input.right)
  if (existing === 'overwrite' && !isEmpty) return overwriteOutput(run, output, input.right)
  return resumeOutput(run, output, input.right)
}
