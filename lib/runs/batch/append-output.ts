import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import { askAndRecord, type BatchRun, createRunOutcome, type RunOutcome } from './batch-run'
import type { BatchStep } from './batch-setup'
import { pairRecords, readUncounted } from './compare-output'
import { catchResumeError, createFileWriter, type RunOutput } from './output'
import type { OpenItems } from './read-items'

/** Turns each item of an input into a step without a record, so that its request is sent. */
export async function* createAskSteps({
  items,
}: OpenItems): AsyncGenerator<BatchStep, void, undefined> {
  for await (const item of items) yield E.right({ item })
}

/** Continues after the records that the output already has; there may be none. */
export const resumeOutput = async (
  run: BatchRun,
  output: RunOutput,
  input: OpenItems,
): Promise<E.Either<Failure, RunOutcome>> => {
  const prepared = await catchResumeError(output, run.setup.interrupt, () =>
    prepareForAppending(run, output, input),
  )
  if (E.isLeft(prepared)) return prepared
  if (prepared.right === 'interrupted')
    return E.right(await createRunOutcome(run, input, { kind: 'interrupted' }))
  return E.right(await appendRecords(run, output, input))
}

/** Asks the rows of the input that were not read yet, and appends their records to the output. */
export const appendRecords = async (
  run: BatchRun,
  output: RunOutput,
  input: OpenItems,
): Promise<RunOutcome> => {
  const writer = createFileWriter(output.path, output.file)
  const end = await askAndRecord(run, input, createAskSteps(input), writer)
  return createRunOutcome(run, input, end)
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
