import { type ItemOutcome, type OutputDemand, processInOrder } from '../record/reorder-window'
import type { ItemResult } from './ask-item'
import { type BatchEnd, createSameFailureDetector } from './batch-end'
import type { EncodedRecord } from './batch-item'
import { type BatchSetup, type BatchStep, needsRequest } from './batch-setup'
import { createSingleGroup, groupSteps, type StepGroup } from './pack/group-steps'
import { processGroup } from './pack/process-group'

/** The maximum number of groups of items in memory, as a multiple of the concurrency. Without `--pack` a group is one item. */
const groupsPerConcurrentCall = 4

/** 64 MiB. No item starts while more bytes of records than this wait for the record of an earlier item. */
const maxWaitingBytes = 64 << 20

/**
 * Runs the loop of a batch. The path of an item:
 *
 * 1. `steps` reads the item, as soon as the limits on items in progress and in memory allow it.
 * 2. `groupSteps` joins it with the next items if they are asked in one request. Without `--pack` each item is a group.
 * 3. `processGroup` creates the records of a group: from an earlier run, or by requests. Several groups are processed at the same time.
 * 4. The records wait until all earlier records are ready.
 * 5. `write` writes the records in the order of the rows, and adds them to the summary.
 *
 * Resolves with the reason for the end of the run. Rejects if `steps` or `write` rejects.
 */
export const runBatchLoop = async (
  steps: AsyncIterable<BatchStep>,
  setup: BatchSetup,
  write: (records: ReadonlyArray<EncodedRecord>) => Promise<OutputDemand>,
): Promise<BatchEnd> => {
  const { callController, interrupt, concurrency, keepGoing, budget, packing } = setup
  let end: BatchEnd | undefined
  async function* readGroups(): AsyncGenerator<StepGroup, void, undefined> {
    for await (const group of groupSteps(steps, setup)) {
      const stop = end === undefined ? await findStop(group) : undefined
      if (stop !== undefined) {
        end = { kind: 'stopped', by: stop.by }
        if (stop.freeSteps.length > 0) yield createSingleGroup(stop.freeSteps)
      }
      if (end !== undefined) return
      yield group
    }
  }
  /**
   * Decides whether the run must stop before the first request of a group. Its steps before that request cost nothing. Waits for the
   * check of the packs if that decides it. Resolves with `undefined` if the run goes on.
   */
  const findStop = async (group: StepGroup) => {
    const check = group.isAfterCheck ? packing?.check : undefined
    await check?.finished()
    const isDiffering = check?.hasFailed() ?? false
    if (!isDiffering && !budget?.isReached()) return undefined
    const freeSteps = selectFreeSteps(group, setup)
    const by = isDiffering ? 'pack_differs' : 'max_cost'
    return freeSteps && ({ by, freeSteps } as const)
  }
  const noteEnd = ({ record, itemEnd }: ItemResult): void => {
    // A recorded item does not override the end by another item. An item without a record overrides that of a later item, which may
    // have failed earlier.
    end = record === undefined ? (itemEnd ?? end) : (end ?? itemEnd)
    const isHopeless = itemEnd?.kind === 'auth' || itemEnd?.kind === 'no_credit'
    if (record === undefined && isHopeless) callController.abort()
  }
  /** Keeps the records up to the first item that ends the run. */
  const keepResults = (results: ReadonlyArray<ItemResult>): ItemOutcome<EncodedRecord[]> => {
    const last = results.find(({ record, itemEnd }) => record === undefined || itemEnd)
    const kept = last === undefined ? results : results.slice(0, results.indexOf(last) + 1)
    const records = kept.flatMap(({ record }) => record ?? [])
    if (last === undefined) return { result: records }
    noteEnd(last)
    return records.length === 0 ? 'discard' : { result: records, isLast: true }
  }
  const detectSameFailure = createSameFailureDetector()
  const writeRecords = async (groups: ReadonlyArray<ReadonlyArray<EncodedRecord>>) => {
    const records = groups.flat()
    const sameFailure = keepGoing ? undefined : detectSameFailure(records)
    if (sameFailure === undefined) {
      const demand = await write(records)
      if (demand === 'enough') end = { kind: 'stdout_closed' }
      return demand
    }
    // The failure at which the run stops is its last record.
    const demand = await write(records.slice(0, sameFailure.count))
    end =
      demand === 'enough'
        ? { kind: 'stdout_closed' }
        : { kind: 'alike', failure: sameFailure.failure }
    return 'enough'
  }
  const bounds = { concurrency, maxItems: concurrency * groupsPerConcurrentCall, maxWaitingBytes }
  try {
    await processInOrder(
      readGroups(),
      bounds,
      async (group) => keepResults(await processGroup(group, setup)),
      (records) => records.reduce((bytes, { line }) => bytes + line.length, 0),
      writeRecords,
    )
  } finally {
    // Calls of items that were not recorded may still be in flight.
    if (end !== undefined || interrupt.aborted) callController.abort()
  }
  // An interrupt overrides `stopped`, but no other reason for the end.
  const isOverriddenByInterrupt = end === undefined || end.kind === 'stopped'
  if (interrupt.aborted && isOverriddenByInterrupt) return { kind: 'interrupted' }
  return end ?? { kind: 'complete' }
}

/** Returns the steps of a group before its first request; `undefined` if it needs no request. */
const selectFreeSteps = (
  { steps }: StepGroup,
  setup: BatchSetup,
): ReadonlyArray<BatchStep> | undefined => {
  const requestIndex = steps.findIndex((step) => needsRequest(step, setup))
  return requestIndex < 0 ? undefined : steps.slice(0, requestIndex)
}
