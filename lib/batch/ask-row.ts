import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Permuted } from '../ask/permute'
import { ask } from '../client/client'
import type { ClientEnv } from '../client/env'
import type { Answers } from '../codec/answer'
import { type AskResponse, answersOf } from '../codec/response'
import { errorOf } from '../failure/envelope'
import { type Failure, validation } from '../failure/failure'
import { gateDraft } from '../gate/evaluate'
import { judge, type Requirement } from '../gate/requirements'
import type { Shapes } from '../gate/shape'
import type { Draft } from '../json/draft'
import type { Json } from '../json/json'
import { encodeHarmless } from '../json/output'
import type { Policy } from '../policy/policy'
import { policyDraft } from '../policy/read'
import { digestOf, encodeRecord, type Head } from '../run/record'
import type { Template } from './questions'
import type { Row } from './row'

/** What answers are judged by: requirements and a policy. R16, R23 */
export interface Judging {
  readonly requirements: ReadonlyArray<Requirement>
  readonly shapes: Shapes
  /** The policy that is applied to each answer. R23 */
  readonly policy: Policy | undefined
}

/** The part of a run that is the same for every row. */
export interface Plan extends Judging {
  readonly template: Template
  /** The questions to send: the template's, and with `--permute` those in other orders. R13 */
  readonly permuted: Permuted
  /** The digest of the questions, without those that `--permute` adds. R1 */
  readonly questionsSha256: string
  /** The model to ask for; `undefined` for the client's. */
  readonly model: string | undefined
  readonly withState: boolean
}

/** One request of a run: a row, or with `--repeat` one of its repetitions. */
export interface Item {
  readonly row: Row
  /** The number of the repetition, from 0; `undefined` without `--repeat`. */
  readonly run: number | undefined
}

/** The fields of an item's record that are known before it is asked. R1 */
export const headOf = ({ row, run }: Item, { questionsSha256, withState }: Plan): Head => {
  const { index, id, group, labels, state } = row
  return {
    index,
    ...(run !== undefined && { run }),
    ...(id && { id }),
    ...(group && { group }),
    ...(labels && { labels }),
    ...(withState && state && { state }),
    ...(state && { stateSha256: digestOf(state) }),
    questionsSha256,
  }
}

/** The state of a row. Fails with a validation error where the row is faulty: it is not asked. R4 */
export const stateOf = ({ row: { line, state, fault } }: Item): E.Either<Failure, Json> =>
  state !== undefined && fault === undefined
    ? E.right(state)
    : E.left(validation(`line ${line}`, fault ?? 'there is no state'))

/**
 * Asks the questions about a row. Fails with a validation error where the row is faulty, and as the call does.
 */
export const askRow = (
  item: Item,
  { template, permuted, model }: Plan,
  client: ClientEnv,
): TE.TaskEither<Failure, AskResponse> =>
  pipe(
    TE.fromEither(stateOf(item)),
    TE.chain((state) =>
      pipe(
        ask({ ...template, questions: permuted.questions, state }, model)(client),
        TE.bimap(
          ({ failure }) => failure,
          ({ value }) => permuted.fold(value),
        ),
      ),
    ),
  )

/** Writes the record of an answered item. */
export const answeredRecord = (item: Item, plan: Plan, response: AskResponse): Buffer =>
  encodeRecord(headOf(item, plan), { response, ...judgementOf(plan, answersOf(response)) })

/**
 * The fields of a record that judge its answers: `gate` by the requirements, `policy` by the policy. R16, R23
 */
export const judgementOf = (
  { requirements, shapes, policy }: Judging,
  answers: Answers,
): { readonly gate?: Draft; readonly policy?: Draft } => ({
  ...(requirements.length > 0 && { gate: gateDraft(judge(requirements, shapes, answers)) }),
  ...(policy && { policy: policyDraft(policy, answers) }),
})

/** Writes the record of a failed item. */
export const failedRecord = (item: Item, plan: Plan, failure: Failure): Buffer =>
  encodeRecord(headOf(item, plan), { error: errorDraft(failure) })

/** The `error` of a record: the object of an error envelope. R1, D59 */
export const errorDraft = (failure: Failure): Draft => {
  const { message, request_id, ...rest } = errorOf(failure)
  return {
    ...rest,
    request_id: request_id === undefined ? undefined : encodeHarmless(request_id),
    message: encodeHarmless(message),
  }
}
