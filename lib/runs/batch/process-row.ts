import * as E from 'fp-ts/Either'
import type { ServiceClient } from '../../client/call/call-context'
import { askChecked } from '../../client/call/client'
import { makeAssets, type RequestImage } from '../../codec/images'
import type { AskResponse } from '../../codec/response'
import { classify, isOutOfCredit } from '../../failure/classify'
import type { Failure } from '../../failure/failure'
import { readUsage } from '../record/outcome'
import { type BatchItem, stateOf } from './batch-item'
import type { Budget } from './cost'
import { type EncodedRecord, encodeAnswer, encodeFailure } from './encode-record'
import type { Plan } from './plan'
import type { Reuse } from './reuse'

/** The next thing to do: ask an item, or keep its record. A failure ends the run. */
export type BatchStep = E.Either<
  Failure,
  { readonly item: BatchItem; readonly kept?: EncodedRecord }
>

/** What the steps of a row use. */
export interface RowSetup {
  readonly plan: Plan
  readonly client: ServiceClient
  readonly failFast: boolean
  /** Asks on when the account has no credit left, and when the first rows fail alike. */
  readonly keepGoing?: boolean | undefined
  /** The answers of earlier runs, which are not asked for again. */
  readonly reuse?: Reuse | undefined
  /** What the run may spend; unlimited if `undefined`. */
  readonly budget?: Budget | undefined
}

/** Why a row ends its run. */
export type RowEnd =
  /** The run was told to stop after the first failed row. */
  | { readonly is: 'stopped'; readonly by: 'fail_fast' }
  /** The answer does not say what it cost, so that the budget cannot be kept. */
  | { readonly is: 'unpriced'; readonly index: number }
  /** The service does not accept the key, or the account has no credit left. The row is not recorded. */
  | { readonly is: 'auth' | 'no_credit'; readonly failure: Failure }
  /** The output does not belong to this run. */
  | { readonly is: 'mismatch'; readonly failure: Failure }

/** The result of a row. Without `written` the row gets no record, and neither does any later one. */
export interface RowResult {
  readonly written?: EncodedRecord
  /** If this is given, no later row gets a record. */
  readonly end?: RowEnd
}

/**
 * Takes a row through its steps. The first one that has a result is the last:
 *
 * 1. keep the record that the output holds already
 * 2. take the answers of an earlier run
 * 3. check the row, and ask the service
 * 4. judge the answers and write their record, or write the record of the failure
 */
export const processRow = async (step: BatchStep, setup: RowSetup): Promise<RowResult> => {
  if (E.isLeft(step)) return { end: { is: 'mismatch', failure: step.left } }
  const { item, kept } = step.right
  if (kept !== undefined) return { written: kept }
  const { plan, client, reuse, budget } = setup
  const reused = reuse?.has(item) ? await reuse.find(item) : undefined
  if (reused !== undefined) return { written: encodeAnswer(item, plan, reused, true) }
  const noteCost = budget?.start(item)
  const answer = await askRow(item, plan, client)
  const isCostKnown = noteCost?.(E.isRight(answer) ? readUsage(answer.right) : undefined) ?? true
  if (E.isLeft(answer)) return endFailedRow(item, answer.left, setup)
  const written = encodeAnswer(item, plan, answer.right)
  return isCostKnown ? { written } : { written, end: { is: 'unpriced', index: item.row.index } }
}

/** Asks the questions about an item. Fails with a validation error if the row is invalid, and as the call does. */
const askRow = async (
  item: BatchItem,
  { template, permuted, model }: Plan,
  client: ServiceClient,
): Promise<E.Either<Failure, AskResponse>> => {
  const state = stateOf(item)
  if (E.isLeft(state)) return state
  const images: RequestImage[] = []
  for (const { load } of item.images) {
    const image = await load()
    if (E.isLeft(image)) return image
    images.push(image.right)
  }
  const extra = new Map([...template.extra, ...makeAssets(images)])
  const request = { ...template, questions: permuted.questions, state: state.right, extra }
  const answer = await askChecked(request, model)(client)()
  return E.isLeft(answer) ? E.left(answer.left.failure) : E.right(permuted.fold(answer.right.value))
}

const endFailedRow = (
  item: BatchItem,
  failure: Failure,
  { plan, failFast, keepGoing }: RowSetup,
): RowResult => {
  const { kind } = classify(failure)
  if (kind === 'interrupted') return {}
  if (kind === 'auth') return { end: { is: 'auth', failure } }
  if (isOutOfCredit(failure) && !keepGoing) return { end: { is: 'no_credit', failure } }
  const written = encodeFailure(item, plan, failure)
  return failFast ? { written, end: { is: 'stopped', by: 'fail_fast' } } : { written }
}
