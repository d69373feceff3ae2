import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Permuted } from '../ask/permute'
import { ask } from '../client/client'
import type { ClientEnv } from '../client/env'
import { type AskResponse, answersOf } from '../codec/response'
import { type Failure, validation } from '../failure/failure'
import { gateDraft } from '../gate/evaluate'
import { judge, type Requirement } from '../gate/requirements'
import type { Shapes } from '../gate/shape'
import type { Draft } from '../json/draft'
import type { Policy } from '../policy/policy'
import { policyDraft } from '../policy/read'
import type { Answers } from '../run/answer'
import { digestOf } from '../run/digest'
import { encodeRecord, type Head } from '../run/record'
import { errorDraft } from './error-draft'
import type { Template } from './questions'
import type { Row } from './row'

/** What answers are held against. R16, R23 */
export interface Judging {
  readonly requirements: ReadonlyArray<Requirement>
  readonly shapes: Shapes
  /** Applied to each answer. R23 */
  readonly policy: Policy | undefined
}

/** What is the same for every row of a run. */
export interface Plan extends Judging {
  readonly template: Template
  /** What is sent of its questions. R13 */
  readonly permuted: Permuted
  /** Of the questions without `--permute`'s. R1 */
  readonly questionsSha256: string
  /** For the calls; the template's own where there is none. */
  readonly model: string | undefined
  readonly withState: boolean
}

/** A row to be asked, once or as one of several times. */
export interface Item {
  readonly row: Row
  /** From 0, with `--repeat`. */
  readonly run: number | undefined
}

/** What a record says of an item before it is asked. R1 */
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

/** The failure of a row that is not asked because of what it is. R4 */
export const faultOf = ({ row }: Item): Failure | undefined =>
  row.fault === undefined ? undefined : validation(`line ${row.line}`, row.fault)

/** Asks a row, or tells why not. */
export const askRow = (
  item: Item,
  { template, permuted, model }: Plan,
  client: ClientEnv,
): TE.TaskEither<Failure, AskResponse> => {
  const { state } = item.row
  const fault = faultOf(item)
  if (fault !== undefined || state === undefined)
    return TE.left(fault ?? validation(`line ${item.row.line}`, 'there is no state'))
  return pipe(
    ask({ ...template, questions: permuted.questions, state }, model)(client),
    TE.bimap(
      ({ failure }) => failure,
      ({ value }) => permuted.fold(value),
    ),
  )
}

/** The record of an item that was answered. */
export const answeredRecord = (item: Item, plan: Plan, response: AskResponse): Buffer =>
  encodeRecord(headOf(item, plan), { response, ...judgementOf(plan, answersOf(response)) })

/** What a record says of its answers: the requirements, and the policy. R16, R23 */
export const judgementOf = (
  { requirements, shapes, policy }: Judging,
  answers: Answers,
): { readonly gate?: Draft; readonly policy?: Draft } => ({
  ...(requirements.length > 0 && { gate: gateDraft(judge(requirements, shapes, answers)) }),
  ...(policy && { policy: policyDraft(policy, answers) }),
})

/** The record of an item that failed. */
export const failedRecord = (item: Item, plan: Plan, failure: Failure): Buffer =>
  encodeRecord(headOf(item, plan), { error: errorDraft(failure) })
