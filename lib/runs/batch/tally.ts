import type { Answer } from '../../codec/answer'
import type { AskResponse } from '../../codec/response'
import { errorOf } from '../../failure/envelope'
import type { Failure } from '../../failure/failure'
import type { RunRecord } from '../record/decode'
import { type ErrorObject, isAnswered, type RecordedUsage, readUsage } from '../record/outcome'
import { type Judgement, type Judging, judgeAnswers, type Outcomes } from './judge-answers'

/** What the summary of a run needs to know of one record. */
export interface Tally {
  /** The place of the row in the input, from 0. */
  readonly index: number
  readonly outcome: AnsweredTally | { readonly error: ErrorObject }
}

interface AnsweredTally {
  readonly model: string
  readonly usage: RecordedUsage
  /** Whether all requirements hold; `undefined` where there are none. */
  readonly passed: boolean | undefined
  readonly outcomes: Outcomes
  /** Whether one of the answers is a refusal. */
  readonly isRefused: boolean
  /** Whether the answers were taken from an earlier run. */
  readonly isReused: boolean
}

/** Counts a response that is recorded now. */
export const tallyResponse = (
  index: number,
  response: AskResponse,
  { passed, outcomes }: Judgement,
  isReused: boolean,
): Tally => {
  const { model, answers } = response
  const isRefused = [...answers.values()].some(isRefusal)
  const usage = readUsage(response)
  return { index, outcome: { model, usage, passed, outcomes, isRefused, isReused } }
}

/** Counts a failed row. */
export const tallyFailure = (index: number, failure: Failure): Tally => {
  const { kind, status, request_id: requestId, message } = errorOf(failure)
  return { index, outcome: { error: { kind, status, requestId, message } } }
}

/** Counts a record that the output already holds. */
export const tallyRecord = (
  { index, outcome }: RunRecord,
  judging: Judging,
  isReused: boolean,
): Tally => {
  if (!isAnswered(outcome)) return { index, outcome }
  const { model, usage, answers } = outcome
  const { passed, outcomes } = judgeAnswers(judging, answers)
  const isRefused = [...answers.values()].some(isRefusal)
  return { index, outcome: { model, usage, passed, outcomes, isRefused, isReused } }
}

/** Whether an answer is a refusal, which takes the place of an answer of any type. */
const isRefusal = ({ type }: Answer): boolean => type === 'refusal'
