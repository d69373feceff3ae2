import * as E from 'fp-ts/Either'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import { isAnswered } from '../record/outcome'
import type { BatchRun } from './batch-run'
import { keepRecord, pairRecords, readOldRecords } from './compare-output'
import type { EncodedRecord } from './encode-record'
import type { OutputOfRun } from './output'
import type { OpenItems } from './read-items'

/** Pairs the records in the output with the items of the input. */
export const pairOutput = (
  { runtime, setup }: BatchRun,
  { path }: OutputOfRun,
  { items }: OpenItems,
) => {
  const records = readOldRecords(path, runtime.files, setup.interrupt)
  return pairRecords(path, records, items, setup.plan, setup.interrupt)
}

/**
 * Reads the records of the output that have not been summed up yet. An interrupt does not end that, since the summary is about
 * the whole file. Fails at a damaged line, since other records may follow it.
 */
export async function* readRest(
  { runtime, setup, sums }: BatchRun,
  { path }: OutputOfRun,
): AsyncGenerator<E.Either<Failure, EncodedRecord>, void, undefined> {
  const { signal } = new AbortController()
  let left = sums.sum().records
  for await (const found of readOldRecords(path, runtime.files, signal)) {
    if (E.isLeft(found)) yield found
    else if ('record' in found.right && left-- <= 0)
      yield E.right(keepRecord(found.right, setup.plan))
  }
}

/** Whether the output holds a failed record. */
export const holdsErrors = (
  run: BatchRun,
  output: OutputOfRun,
): Promise<E.Either<Failure, boolean>> =>
  useOutput(run, output, async () => {
    for await (const found of readOldRecords(output.path, run.runtime.files, run.setup.interrupt))
      if (E.isRight(found) && 'record' in found.right && !isAnswered(found.right.record.outcome))
        return E.right(true)
    return E.right(false)
  })

/** Runs `work`, which reads or writes the output file. What it throws becomes a usage error, or an interrupt. */
export const useOutput = async <A>(
  { setup }: BatchRun,
  { path }: OutputOfRun,
  work: () => Promise<E.Either<Failure, A>>,
): Promise<E.Either<Failure, A>> => {
  try {
    return await work()
  } catch (error) {
    return E.left(
      setup.interrupt.aborted ? interrupted : usage(`resume ${path}: ${reasonOf(error)}`),
    )
  }
}
