import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import { access } from '../../failure/named-files'
import {
  askAndRecord,
  type BatchRun,
  completeOutcome,
  openRunInput,
  type RunOutcome,
} from './batch-run'
import { holdsErrors, pairOutput, readRest, useOutput } from './old-records'
import { fileSink, type OutputOfRun, openRunOutput, stdoutSink } from './output'
import { isFile, type OpenItems } from './read-items'
import { askEvery, overwriteOutput, retryErrors } from './rewrite-output'
import type { OutputOptions } from './run-options'

/** Asks about the rows and writes their records to stdout or to the output file. */
export const writeRunOutput = async (run: BatchRun): Promise<E.Either<Failure, RunOutcome>> => {
  const { options, setup, reading } = run
  setup.interrupt.addEventListener('abort', () => reading.abort())
  if (setup.interrupt.aborted) reading.abort()
  const { output } = options
  try {
    return await (output === undefined ? writeToStdout(run) : writeToFile(run, output))
  } finally {
    reading.abort()
  }
}

const writeToStdout = async (run: BatchRun): Promise<E.Either<Failure, RunOutcome>> => {
  const input = await openRunInput(run)
  if (E.isLeft(input)) return input
  return E.right(
    await askAndRecord(run, input.right, askEvery(input.right), stdoutSink(run.runtime)),
  )
}

const writeToFile = async (
  run: BatchRun,
  { path, existing }: OutputOptions,
): Promise<E.Either<Failure, RunOutcome>> => {
  const opened = await openFileInput(run)
  if (E.isLeft(opened)) return opened
  const output = await openRunOutput(run.runtime, path, existing !== 'refuse')
  if (E.isLeft(output)) return output
  try {
    return await writeOver(run, output.right, existing, opened.right)
  } finally {
    await output.right.file.close()
  }
}

/**
 * Opens an input that is a file before the output is made, so that one that cannot be read leaves no empty output behind.
 * Of other inputs a first row may be long in coming.
 */
const openFileInput = async (run: BatchRun): Promise<E.Either<Failure, OpenItems | undefined>> => {
  const { path } = run.options.input
  const found = await access(`read rows: ${path}`, () => isFile(run.runtime.files, path))()
  if (E.isLeft(found)) return found
  return found.right ? openRunInput(run) : E.right(undefined)
}

const writeOver = async (
  run: BatchRun,
  output: OutputOfRun,
  existing: OutputOptions['existing'],
  opened: OpenItems | undefined,
): Promise<E.Either<Failure, RunOutcome>> => {
  const retries = existing === 'retry' ? await holdsErrors(run, output) : E.right(false)
  if (E.isLeft(retries)) return retries
  const input = opened === undefined ? await openRunInput(run) : E.right(opened)
  if (E.isLeft(input)) return input
  if (retries.right) return retryErrors(run, output, input.right)
  return existing === 'overwrite' && output.file.size > 0
    ? overwriteOutput(run, output, input.right)
    : continueOutput(run, output, input.right)
}

/** Goes on after the records that the output already holds, if any. */
const continueOutput = async (
  run: BatchRun,
  output: OutputOfRun,
  input: OpenItems,
): Promise<E.Either<Failure, RunOutcome>> => {
  const checked = await checkOutput(run, output, input)
  if (E.isLeft(checked)) return checked
  const sink = fileSink(output.path, output.file)
  return E.right(
    checked.right
      ? await askAndRecord(run, input, askEvery(input), sink)
      : await completeOutcome(run, input, { is: 'interrupted' }),
  )
}

/**
 * Checks that the records in the output belong to the rows of the input, and removes a torn last line. Resolves with whether
 * that came to its end: an interrupt stops it, and then changes nothing.
 */
const checkOutput = (
  run: BatchRun,
  output: OutputOfRun,
  input: OpenItems,
): Promise<E.Either<Failure, boolean>> =>
  useOutput(run, output, async () => {
    const { file } = output
    const { sums, setup } = run
    if (file.size === 0) return E.right(true)
    let [size, isEnded] = [0, true]
    for await (const pair of pairOutput(run, output, input)) {
      if (E.isLeft(pair)) return pair
      const { kept, written } = pair.right
      sums.add(written.tally)
      size = kept.next
      isEnded = kept.ended
    }
    if (setup.interrupt.aborted) {
      for await (const kept of readRest(run, output))
        if (E.isRight(kept)) sums.add(kept.right.tally)
      return E.right(false)
    }
    if (size < file.size) await file.truncate(size)
    if (!isEnded) await file.append(Buffer.from('\n'))
    return E.right(true)
  })
