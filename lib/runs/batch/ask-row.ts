import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type * as TE from 'fp-ts/TaskEither'
import type { Permuted } from '../../client/ask/permute'
import { askChecked } from '../../client/call/client'
import type { ClientEnv } from '../../client/call/env'
import type { Draft } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import type { Template } from '../../codec/request'
import type { AskResponse } from '../../codec/response'
import { errorOf } from '../../failure/envelope'
import { type Failure, validation } from '../../failure/failure'
import { digestOf, encodeRecord, type Head } from '../record/record'
import type { Row } from '../rows/row'
import { type Judging, judgeAnswers } from './judging'
import { type Tally, tallyFailure, tallyResponse } from './tally'

/** The part of a run that is the same for every row. */
export interface Plan extends Judging {
  readonly template: Template
  /** The questions to send: the template's, and with `--permute` those in other orders. */
  readonly permuted: Permuted
  /** The digest of the questions, without those that `--permute` adds. */
  readonly questionsSha256: string
  /** The model to ask for; `undefined` for the client's. */
  readonly model: string | undefined
  readonly withState: boolean
}

/** One request of a run: a row, or with `--repeat` one of its repetitions. */
export interface Item {
  readonly row: Row
  /** The digest of the row's state; `undefined` where the state could not be read. */
  readonly stateSha256: string | undefined
  /** The number of the repetition, from 0; `undefined` without `--repeat`. */
  readonly run: number | undefined
}

/** The items of a row: itself, or with `--repeat` so many repetitions. */
export const itemsOf = (row: Row, repeat: number | undefined): ReadonlyArray<Item> => {
  const stateSha256 = row.state === undefined ? undefined : digestOf(row.state)
  return repeat === undefined
    ? [{ row, stateSha256, run: undefined }]
    : Array.from({ length: repeat }, (_, run) => ({ row, stateSha256, run }))
}

/** The line of a record, with its newline, and what the summary counts of it. */
export interface Written {
  readonly line: Buffer
  readonly tally: Tally
  /** Why the row failed, if it was asked in this run. */
  readonly failure?: Failure
}

/** The fields of an item's record that are known before it is asked. */
export const headOf = (
  { row: { index, id, group, labels, state }, stateSha256, run }: Item,
  { questionsSha256, withState }: Pick<Plan, 'questionsSha256' | 'withState'>,
): Head => ({
  index,
  run,
  id,
  group,
  labels,
  state: withState ? state : undefined,
  stateSha256,
  questionsSha256,
})

/** The state of a row. Fails with a validation error where the row is faulty: it is not asked. */
export const stateOf = ({ row: { line, state, fault } }: Item): E.Either<Failure, JsonValue> =>
  state !== undefined && fault === undefined
    ? E.right(state)
    : E.left(validation(`line ${line}`, fault ?? 'there is no state'))

/**
 * Asks the questions about a row. Fails with a validation error where the row is faulty, and as the call does.
 */
export const askRow =
  (
    item: Item,
    { template, permuted, model }: Plan,
    client: ClientEnv,
  ): TE.TaskEither<Failure, AskResponse> =>
  async () => {
    const state = stateOf(item)
    if (E.isLeft(state)) return state
    const request = { ...template, questions: permuted.questions, state: state.right }
    return pipe(
      await askChecked(request, model)(client)(),
      E.bimap(
        ({ failure }) => failure,
        ({ value }) => permuted.fold(value),
      ),
    )
  }

/** Writes the record of an answered item. */
export const writeAnswer = (
  item: Item,
  plan: Plan,
  response: AskResponse,
  isReused = false,
): Written => {
  const judgement = judgeAnswers(plan, response.answers)
  return {
    line: encodeRecord(headOf(item, plan), { response, isReused, ...judgement.members }),
    tally: tallyResponse(item.row.index, response, judgement, isReused),
  }
}

/** Writes the record of a failed item. */
export const writeFailure = (item: Item, plan: Plan, failure: Failure): Written => ({
  line: encodeRecord(headOf(item, plan), { error: errorDraft(failure) }),
  tally: tallyFailure(item.row.index, failure),
  failure,
})

/** The `error` of a record: the object of an error envelope. */
export const errorDraft = (failure: Failure): Draft => {
  return { ...errorOf(failure) }
}
