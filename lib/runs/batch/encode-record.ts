import type { Answer } from '../../codec/answer'
import type { Draft } from '../../codec/json/draft'
import type { AskResponse } from '../../codec/response'
import type { Failure } from '../../failure/failure'
import { errorOf } from '../../failure/report'
import type { RunRecord } from '../record/decode'
import {
  type Answered,
  convertUsage,
  type ErrorObject,
  isAnswered,
  type RecordedUsage,
} from '../record/outcome'
import { encodeRecord } from '../record/record'
import { type BatchItem, createRecordHead } from './batch-item'
import {
  type BatchPlan,
  type Judgement,
  type JudgingRules,
  judgeAnswers,
  type Outcomes,
} from './plan'

/** An encoded record, and its tally for the summary. */
export interface EncodedRecord {
  /** The line, with its newline. */
  readonly line: Buffer
  readonly tally: RecordTally
  /** The failure of the row. Absent if the record was read from a file. */
  readonly failure?: Failure
}

/** The part of a record that the summary of a run counts. */
export interface RecordTally {
  /** The position of the row in the input, from 0. */
  readonly index: number
  readonly outcome: AnsweredTally | { readonly error: ErrorObject }
}

/** The part of a record with answers that the summary of a run counts. */
export interface AnsweredTally {
  readonly model: string
  readonly usage: RecordedUsage
  /** `true` if all requirements hold; `undefined` if the run has no requirements. */
  readonly passed: boolean | undefined
  readonly outcomes: Outcomes
  /** `true` if one of the answers is a refusal. */
  readonly isRefused: boolean
  /** `true` if the answers were taken from an earlier run. */
  readonly isReused: boolean
}

/** Judges the answers to an item, and encodes their record. `isReused` is `true` for the response of an earlier run. */
export const encodeAnswer = (
  item: BatchItem,
  plan: BatchPlan,
  { response, isReused }: { readonly response: AskResponse; readonly isReused: boolean },
): EncodedRecord => {
  const { model, answers } = response
  const judgement = judgeAnswers(plan, answers)
  const answered = { model, answers, usage: convertUsage(response) }
  return {
    line: encodeRecord(createRecordHead(item, plan), { response, isReused, ...judgement.members }),
    tally: { index: item.row.index, outcome: tallyAnswers(answered, judgement, isReused) },
  }
}

/** Encodes the record of a failed item. */
export const encodeFailure = (
  item: BatchItem,
  plan: BatchPlan,
  failure: Failure,
): EncodedRecord => {
  const { kind, status, request_id: requestId, message } = errorOf(failure)
  return {
    line: encodeRecord(createRecordHead(item, plan), { error: encodeError(failure) }),
    tally: { index: item.row.index, outcome: { error: { kind, status, requestId, message } } },
    failure,
  }
}

/** Encodes the `error` of a record. It has the same members as the `error` of an error document, which svc prints if a command fails. */
export const encodeError = (failure: Failure): Draft => ({ ...errorOf(failure) })

/** Creates the tally of a record that was read from a file. */
export const tallyRecord = (
  { index, outcome }: RunRecord,
  rules: JudgingRules,
  isReused: boolean,
): RecordTally => {
  if (!isAnswered(outcome)) return { index, outcome }
  const judgement = judgeAnswers(rules, outcome.answers)
  return { index, outcome: tallyAnswers(outcome, judgement, isReused) }
}

const tallyAnswers = (
  { model, answers, usage }: Omit<Answered, 'gate'>,
  { passed, outcomes }: Judgement,
  isReused: boolean,
): AnsweredTally => {
  const isRefused = [...answers.values()].some(isRefusal)
  return { model, usage, passed, outcomes, isRefused, isReused }
}

const isRefusal = ({ type }: Answer): boolean => type === 'refusal'
