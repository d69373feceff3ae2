import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import { runFileOperation } from '../../failure/named-files'
import {
  askAndRecord,
  type BatchRun,
  createRunOutcome,
  openRunItems,
  type RunOutcome,
} from './batch-run'
import { hasFailedRecords, pairRecords, readUncounted } from './compare-output'
import {
  catchOutputError,
  createFileWriter,
  createStdoutWriter,
  openRunOutput,
  type RunOutput,
} from './output'
import { isRegularFile, type OpenItems } from './read-items'
import { createAskSteps, overwriteOutput, retryErrors } from './rewrite-output'
import type { OutputOptions } from './run-options'

/** Sends the requests of the rows, and writes their records to stdout or to the output file. */
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
  return E.right(await askAndRecord(run, input.right, createAskSteps(input.right), writer))
}

const writeToFile = async (
  run: BatchRun,
  { path, existing }: OutputOptions,
): Promise<E.Either<Failure, RunOutcome>> => {
  const fileInput = await openFileInput(run)
  if (E.isLeft(fileInput)) return fileInput
  const mayHaveRecords = existing !== 'refuse'
  const output = await openRunOutput(run.runtime, path, mayHaveRecords)
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
  const mustRetry = await catchOutputError(output, run.setup.interrupt, async () =>
    E.right(existing === 'retry' && (await hasFailedRecords(run, output))),
  )
  if (E.isLeft(mustRetry)) return mustRetry
  const input = fileInput === undefined ? await openRunItems(run) : E.right(fileInput)
  if (E.isLeft(input)) return input
  if (mustRetry.right) return retryErrors(run, output, input.right)
  if (existing === 'overwrite' && output.file.size > 0)
    return overwriteOutput(run, output, input.right)
  return continueOutput(run, output, input.right)
}

/** Continues after the records that the output already has; there may be none. */
const continueOutput = async (
  run: BatchRun,
  output: RunOutput,
  input: OpenItems,
): Promise<E.Either<Failure, RunOutcome>> => {
  const { interrupt } = run.setup
  const prepared = await catchOutputError(output, interrupt, () =>
    prepareForAppending(run, output, input),
  )
  if (E.isLeft(prepared)) return prepared
  if (prepared.right === 'interrupted')
    return E.right(await createRunOutcome(run, input, { kind: 'interrupted' }))
  const writer = createFileWriter(output.path, output.file)
  return E.right(await askAndRecord(run, input, createAskSteps(input), writer))
}

/**
 * Checks that the records in the output belong to the rows of the input, and adds them to the summary. Then removes a torn last line,
 * so that the file ends with a whole record. After an interrupt the file is unchanged, and the summary still covers the whole file.
 */
const prepareForAppending = async (
  run: BatchRun,
  output: RunOutput,
  input: OpenItems,
): Promise<E.Either<Failure, 'ready' | 'interrupted'>> => {
  const { file } = output
  if (file.size === 0) return E.right('ready')
  let validBytes = 0
  let endsWithNewline = true
  // A pair is an item of the input, and its old record in the output.
  for await (const pair of pairRecords(run, output, input)) {
    if (E.isLeft(pair)) return pair
    const { old, encoded } = pair.right
    run.summary.add(encoded.tally)
    validBytes = old.nextOffset
    endsWithNewline = old.hasNewline
  }
  if (run.setup.interrupt.aborted) {
    await addUncounted(run, output)
    return E.right('interrupted')
  }
  if (validBytes < file.size) await file.truncate(validBytes)
  if (!endsWithNewline) await file.append(Buffer.from('\n'))
  return E.right('ready')
}

/** Adds to the summary the records of the output that it has not counted yet, up to an invalid line. */
const addUncounted = async (run: BatchRun, output: RunOutput): Promise<void> => {
  for await (const old of readUncounted(run, output))
    if (E.isRight(old)) run.summary.add(old.right.tally)
}
