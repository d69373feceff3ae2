import type { Draft } from '../../codec/json/draft'
import type { AskResponse } from '../../codec/response'
import { errorOf } from '../../failure/envelope'
import type { Failure } from '../../failure/failure'
import { encodeRecord } from '../record/record'
import { type BatchItem, headOf } from './batch-item'
import { judgeAnswers } from './judge-answers'
import type { Plan } from './plan'
import { type Tally, tallyFailure, tallyResponse } from './tally'

/** The line of a record, with its newline, and what the summary counts of it. */
export interface EncodedRecord {
  readonly line: Buffer
  readonly tally: Tally
  /** Why the row failed, if it was asked in this run. */
  readonly failure?: Failure
}

/** Judges the answers to an item, and writes their record. */
export const encodeAnswer = (
  item: BatchItem,
  plan: Plan,
  response: AskResponse,
  isReused = false,
): EncodedRecord => {
  const judgement = judgeAnswers(plan, response.answers)
  return {
    line: encodeRecord(headOf(item, plan), { response, isReused, ...judgement.members }),
    tally: tallyResponse(item.row.index, response, judgement, isReused),
  }
}

/** Writes the record of a failed item. */
export const encodeFailure = (item: BatchItem, plan: Plan, failure: Failure): EncodedRecord => ({
  line: encodeRecord(headOf(item, plan), { error: errorDraft(failure) }),
  tally: tallyFailure(item.row.index, failure),
  failure,
})

/** The `error` of a record: the object of an error envelope. */
export const errorDraft = (failure: Failure): Draft => {
  return { ...errorOf(failure) }
}
