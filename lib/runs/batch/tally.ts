import type { Answer } from '../../codec/answer'
import { type Literal, numberOf } from '../../codec/json/json'
import type { AskResponse } from '../../codec/response'
import { errorOf } from '../../failure/envelope'
import type { Failure } from '../../failure/failure'
import type { RunRecord } from '../record/decode'
import { type ErrorObject, isAnswered } from '../record/outcome'
import { type Judgement, type Judging, judgeAnswers, type Outcomes } from './judge-answers'

/** What the summary of a run needs to know of one record. */
export interface Tally {
  /** The place of the row in the input, from 0. */
  readonly index: number
  readonly outcome: AnsweredTally | { readonly error: ErrorObject }
}

interface AnsweredTally {
  readonly model: string
  readonly usage: TokenCounts
  /** Whether all requirements hold; `undefined` where there are none. */
  readonly passed: boolean | undefined
  readonly outcomes: Outcomes
  /** Whether one of the answers is a refusal. */
  readonly isRefused: boolean
  /** Whether the answers were taken from an earlier run. */
  readonly isReused: boolean
}

/** The tokens of a request and its response; null where the service sent no count. */
export interface TokenCounts {
  readonly input: number | null
  readonly output: number | null
}

/** Counts a response that is recorded now. */
export const tallyResponse = (
  index: number,
  response: AskResponse,
  { passed, outcomes }: Judgement,
  isReused: boolean,
): Tally => {
  const { answers } = response
  const ids = [...response.answers.keys()]
  return {
    index,
    outcome: {
      model: response.model,
      usage: usageOf(response),
      ...{ passed, outcomes, isReused },
      isRefused: ids.some((id) => isRefusal(answers.get(id))),
    },
  }
}

/** The token counts of a response. */
export const usageOf = ({ usage }: Pick<AskResponse, 'usage'>): TokenCounts => ({
  input: countOf(usage.input_tokens),
  output: countOf(usage.output_tokens),
})

const countOf = (literal: Literal | null): number | null => literal && numberOf(literal)

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
const isRefusal = (answer: Answer | undefined): boolean => answer?.type === 'refusal'
