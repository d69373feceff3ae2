import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import type { Replacement } from '../../runtime/runtime'
import { isAnswered } from '../record/outcome'
import {
  askAndRecord,
  type BatchRun,
  completeOutcome,
  openRunInput,
  type RunEnd,
  type RunOutcome,
} from './batch-run'
import { pairOutput, readRest, useOutput } from './old-records'
import { fileSink, type OutputOfRun } from './output'
import type { BatchStep } from './process-row'
import { isFile, type OpenItems } from './read-items'

/** Turns every item of an input into a step that asks it. */
export async function* askEvery({ items }: OpenItems): AsyncGenerator<BatchStep, void, undefined> {
  for await (const item of items) yield E.right({ item })
}

/**
 * Writes a new file beside the output and replaces it at the end, also when interrupted. A run that has written no record
 * leaves the old file as it was.
 */
export const overwriteOutput = (
  run: BatchRun,
  output: OutputOfRun,
  input: OpenItems,
): Promise<E.Either<Failure, RunOutcome>> =>
  rewriteOutput(run, output, input, askEvery(input), async (_, { end, summary }) => {
    const isNew = summary.records > 0 || end.is === 'complete'
    return E.right(isNew ? 'replace' : 'discard')
  })

/**
 * Asks the failed rows of an output again, and goes on after its last record. Writes a new file beside it, with the answered
 * records unchanged. That replaces the output at the end, also when interrupted: records that were not reached are copied as
 * they are.
 */
export const retryErrors = async (
  run: BatchRun,
  output: OutputOfRun,
  input: OpenItems,
): Promise<E.Either<Failure, RunOutcome>> => {
  const checked = await checkAgainstInput(run, output)
  if (E.isLeft(checked)) return checked
  const steps = askFailed(run, output, input)
  const rewritten = await rewriteOutput(run, output, input, steps, async (file) => {
    for await (const kept of readRest(run, output)) {
      if (E.isLeft(kept)) return kept
      await file.append(kept.right.line)
      run.sums.add(kept.right.tally)
    }
    return E.right('replace')
  })
  if (E.isLeft(rewritten) || rewritten.right.end.is !== 'complete') return rewritten
  const sink = fileSink(output.path, output.file)
  return E.right(await askAndRecord(run, input, askEvery(input), sink))
}

/** Compares the whole output with the input before anything is asked, if the input can be read twice. */
const checkAgainstInput = (run: BatchRun, output: OutputOfRun): Promise<E.Either<Failure, void>> =>
  useOutput(run, output, async () => {
    const { runtime, options } = run
    if (!(await isFile(runtime.files, options.input.path))) return E.right(undefined)
    const input = await openRunInput(run)
    if (E.isLeft(input)) return input
    for await (const pair of pairOutput(run, output, input.right)) if (E.isLeft(pair)) return pair
    return E.right(undefined)
  })

async function* askFailed(
  run: BatchRun,
  output: OutputOfRun,
  input: OpenItems,
): AsyncGenerator<BatchStep, void, undefined> {
  for await (const pair of pairOutput(run, output, input)) {
    if (E.isLeft(pair)) {
      yield pair
      return
    }
    const { item, kept, written } = pair.right
    yield E.right(isAnswered(kept.record.outcome) ? { item, kept: written } : { item })
  }
}

/**
 * Carries out the steps and writes their records into a new file. `finish` then decides whether that replaces the output. If
 * the output could not be read or written, the new file is discarded.
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
  const opened = await useOutput(run, output, async () => E.right(await output.file.replacement()))
  if (E.isLeft(opened)) return opened
  const file = opened.right
  const outcome = await askAndRecord(run, input, steps, fileSink(output.path, file))
  const finished = isLost(outcome.end)
    ? E.right('discard')
    : await useOutput(run, output, async () => {
        const wanted = await finish(file, outcome)
        if (E.isLeft(wanted) || wanted.right === 'discard') return wanted
        output.file = await file.commit()
        return wanted
      })
  if (E.isLeft(finished) || finished.right === 'discard') await file.discard()
  if (E.isLeft(finished)) return finished
  return E.right(await completeOutcome(run, input, outcome.end))
}

/** Whether the records written so far are of no use: the output could not be read or written. */
const isLost = ({ is }: RunEnd): boolean => is === 'mismatch' || is === 'unwritable'
