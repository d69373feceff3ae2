import * as E from 'fp-ts/Either'
import type { ServiceClient } from '../../client/call/client'
import type { Failure } from '../../failure/failure'
import { type BatchItem, checkState, type EncodedRecord } from './batch-item'
import type { Budget } from './cost'
import type { Packing } from './pack/packing'
import type { BatchPlan } from './plan'
import type { Reuse } from './reuse'

/** The next item of a run, and its record if the output already has it. A failure ends the run. */
export type BatchStep = E.Either<
  Failure,
  { readonly item: BatchItem; readonly record?: EncodedRecord }
>

/** The plan, client and limits of a run. */
export interface BatchSetup {
  /** The questions of the run, and the rules for their answers. */
  readonly plan: BatchPlan
  readonly client: ServiceClient
  /** Cancels all calls in flight. */
  readonly callController: AbortController
  /** Fires when the user interrupts the program. */
  readonly interrupt: AbortSignal
  readonly concurrency: number
  readonly failFast: boolean
  /** `true` if the run continues without credit, and after the first rows have failed with the same error. */
  readonly keepGoing?: boolean | undefined
  /** The answers of earlier runs. They are recorded without another request. */
  readonly reuse?: Reuse | undefined
  /** The budget of the run; unlimited if `undefined`. */
  readonly budget?: Budget | undefined
  /** The way to ask about several rows in one request; `undefined` if the run asks about each row alone. */
  readonly packing?: Packing | undefined
}

/** Returns `true` if svc must send a request for an item, because no record or answer exists and its row is valid. */
export const needsRequest = (step: BatchStep, { reuse }: Pick<BatchSetup, 'reuse'>): boolean => {
  if (E.isLeft(step) || step.right.record !== undefined) return false
  const { item } = step.right
  return E.isRight(checkState(item)) && !reuse?.has(item)
}
