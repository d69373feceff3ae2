import * as E from 'fp-ts/Either'
import { encodeText } from '../../../codec/json/draft'
import { usage } from '../../../failure/failure'
import type { BatchItem } from '../batch-item'
import { type BatchSetup, type BatchStep, needsRequest } from '../batch-setup'
import { formatFlipShare, type PackCheck } from './pack-check'
import type { Packing, PackOptionNames } from './packing'

/** Steps that are processed together. */
export interface StepGroup {
  readonly steps: ReadonlyArray<BatchStep>
  /** The items of the steps that one request asks about. Empty, or at least two. */
  readonly packed: ReadonlyArray<BatchItem>
  /** `true` if the packed items are also asked alone, to compare the answers. */
  readonly isChecked: boolean
  /** `true` if the group comes after all rows of the check. */
  readonly isAfterCheck: boolean
}

/** Creates a group whose items are asked alone. */
export const createSingleGroup = (
  steps: ReadonlyArray<BatchStep>,
  isAfterCheck = false,
): StepGroup => ({ steps, packed: [], isChecked: false, isAfterCheck })

type GroupingSetup = Pick<BatchSetup, 'reuse' | 'packing'>

/** Groups the steps of a run. Without packing each step is a group. A step that ends the run is a group of its own. */
export async function* groupSteps(
  steps: AsyncIterable<BatchStep>,
  setup: GroupingSetup,
): AsyncGenerator<StepGroup, void, undefined> {
  const { packing } = setup
  if (packing === undefined) {
    for await (const step of steps) yield createSingleGroup([step])
    return
  }
  const groups = packSteps(steps, setup, packing)
  const { check } = packing
  if (check === undefined || check.rows >= check.minRows) yield* groups
  else yield* refuseUnprovable(groups, setup, check, packing.names)
}

/** A group can have this many steps for each row of a pack. The others need no request: they have a record or reused answers. */
const maxStepsPerPackedRow = 4

/** Groups the steps of a run whose rows are asked in packs. */
async function* packSteps(
  steps: AsyncIterable<BatchStep>,
  setup: GroupingSetup,
  packing: Packing,
): AsyncGenerator<StepGroup, void, undefined> {
  const packer = new StepPacker(packing)
  for await (const step of steps) {
    const item = E.isRight(step) && needsRequest(step, setup) ? step.right.item : undefined
    yield* packer.add(step, item)
  }
  yield* packer.finish()
}

/**
 * Groups as many steps as one request can ask about. Steps that need no request join the group, in their order. A row that is too large
 * for a pack is a group of its own, and so is a step that ends the run.
 */
class StepPacker {
  private steps: BatchStep[] = []
  /** The items of `steps` that need a request. */
  private items: BatchItem[] = []
  /** The size of their states. */
  private stateBytes = 0
  private readonly hasCheck: boolean
  private rowsToCheck: number

  constructor(private readonly packing: Packing) {
    this.hasCheck = packing.check !== undefined
    this.rowsToCheck = packing.check?.rows ?? 0
  }

  /** Adds a step, and its item if it needs a request. Yields the groups that are complete. */
  *add(step: BatchStep, item: BatchItem | undefined): Generator<StepGroup> {
    const { size, maxStateBytes } = this.packing
    const bytes = item === undefined ? 0 : measureState(item)
    const mustBeSingle = E.isLeft(step) || bytes > maxStateBytes
    if (mustBeSingle || this.stateBytes + bytes > maxStateBytes) yield* this.finish()
    if (mustBeSingle) {
      yield createSingleGroup([step], this.isAfterCheck())
      return
    }
    this.steps.push(step)
    this.stateBytes += bytes
    if (item !== undefined) this.items.push(item)
    const isFull = this.items.length >= limitRows(size, this.rowsToCheck)
    const isLong = this.steps.length >= size * maxStepsPerPackedRow
    if (isFull || isLong) yield* this.finish()
  }

  /** Yields the last group, unless it is empty. */
  *finish(): Generator<StepGroup> {
    const { steps, items } = this
    if (steps.length === 0) return
    this.steps = []
    this.items = []
    this.stateBytes = 0
    const isAfterCheck = this.isAfterCheck()
    if (items.length < 2) {
      yield createSingleGroup(steps, isAfterCheck)
      return
    }
    const isChecked = this.rowsToCheck > 0
    this.rowsToCheck -= items.length
    yield { steps, packed: items, isChecked, isAfterCheck }
  }

  private isAfterCheck(): boolean {
    return this.hasCheck && this.rowsToCheck <= 0
  }
}

/** Measures the state of an item, in bytes of JSON. */
const measureState = ({ row }: BatchItem): number =>
  Buffer.byteLength(encodeText(row.state ?? null))

/** Returns the maximum number of rows of the next pack, so that no pack of the check has only one row. */
const limitRows = (size: number, rowsToCheck: number): number => {
  if (rowsToCheck <= 0 || rowsToCheck > size + 1) return size
  // A single row is not asked in a pack. With packs of two, the check of an odd number of rows has one row more.
  if (rowsToCheck === size + 1) return size > 2 ? size - 1 : size
  return Math.max(2, rowsToCheck)
}

/**
 * Reads all rows of a check that cannot pass, because it has too few rows. If more rows come after them, yields a usage error before
 * anything is sent. Otherwise no answer depends on the check.
 */
async function* refuseUnprovable(
  groups: AsyncIterable<StepGroup>,
  setup: GroupingSetup,
  check: PackCheck,
  names: PackOptionNames,
): AsyncGenerator<StepGroup, void, undefined> {
  const waiting: StepGroup[] = []
  for await (const group of groups) {
    if (group.isAfterCheck && group.steps.some((step) => needsRequest(step, setup))) {
      const limit = `${names.maxFlips} ${formatFlipShare(check.maxFlips)}`
      const message = `${names.packCheck} ${check.rows}: too few rows to show that ${limit} holds: pass ${check.minRows} or more, or 0 to go without a proof`
      return yield createSingleGroup([E.left(usage(message))])
    }
    waiting.push(group)
  }
  yield* waiting
}
