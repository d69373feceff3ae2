import * as E from 'fp-ts/Either'
import { checkAndAsk, type ObservedClient } from '../client/call/client'
import { Deadline } from '../client/call/deadline'
import { toJson } from '../codec/json/draft'
import { numberOf } from '../codec/json/json'
import type { AskRequest } from '../codec/request'
import type { AskResponse } from '../codec/response'
import type { ReviewUnit } from '../codec/review-config'
import { type Failure, interrupted } from '../failure/failure'
import { messageOf } from '../failure/report'
import { type Duration, formatDuration, toMillis } from '../text/duration'
import { redactAndCut } from '../text/sanitize'
import { createReviewQuestions } from './questions'
import type { UnitReport } from './report'
import { decodeUnitAnswers } from './unit-answers'
import { isTruncated, readUnitState, type Sources, type UnitState } from './unit-state'
import { judgeUnitAnswers, type Thresholds } from './verdict'

/** The settings that the reviews of all units share. A unit is a section of the spec with its implementation and tests. */
export interface UnitEnv {
  readonly sources: Sources
  readonly thresholds: Thresholds
  /** The time limit of one unit; 0 for no limit. */
  readonly timeout: Duration
  readonly client: ObservedClient
}

/** The outcome of a unit that ran. */
export interface UnitOutcome {
  readonly report: UnitReport
  /** The failure of its call, or an interrupt. Absent for other errors, such as an unreadable file or the end of the time limit. */
  readonly failure?: Failure
}

/** The part of a report that does not depend on the answers. */
type CallFacts = Pick<UnitReport, 'requestId' | 'model' | 'inputTokens' | 'truncated'>

/** The reason why a unit could not complete. */
interface UnitError {
  readonly error: string
  readonly failure?: Failure
  /** The facts that are known nevertheless. */
  readonly facts: Partial<CallFacts>
}

/**
 * Reads the state of a unit (the texts that its questions are about), sends its request and judges the answers, within the time limit.
 * Never fails: the report has the error.
 */
export const reviewUnit = async (env: UnitEnv, unit: ReviewUnit): Promise<UnitOutcome> => {
  const { runtime, signal } = env.client
  const deadline = new Deadline(runtime.clock, signal, toMillis(env.timeout))
  try {
    const reviewed = await askAndJudge(env, unit, deadline.signal)
    if (E.isRight(reviewed)) return { report: reviewed.right }
    return createErrorOutcome(unit, withStopReason(env, deadline, reviewed.left))
  } finally {
    deadline.stop()
  }
}

const askAndJudge = async (
  env: UnitEnv,
  unit: ReviewUnit,
  signal: AbortSignal,
): Promise<E.Either<UnitError, UnitReport>> => {
  const state = await readUnitState(env.sources, unit, signal)
  if (E.isLeft(state)) return E.left({ error: state.left, facts: {} })
  const truncated = isTruncated(state.right)
  const asked = await checkAndAsk({ ...env.client, signal }, createReviewRequest(unit, state.right))
  if (E.isLeft(asked)) {
    const { failure } = asked.left
    // Only an error of the service has a request id.
    const requestId = failure._tag === 'ApiError' ? failure.requestId : ''
    return E.left({ error: messageOf(failure), failure, facts: { requestId, truncated } })
  }
  const response = asked.right.value
  const facts: CallFacts = { ...selectCallFacts(response), truncated }
  const redactText = redactAndCut(env.client.redact)
  const decoded = decodeUnitAnswers(unit.behaviors, response)
  if (E.isLeft(decoded)) return E.left({ error: redactText(decoded.left), facts })
  // The service chooses the label, so it may be any text.
  const answers = { ...decoded.right, weakestArea: redactText(decoded.right.weakestArea) }
  const verdict = judgeUnitAnswers(answers, unit.accepted, env.thresholds)
  return E.right({ ...createEmptyReport(unit), ...facts, ...answers, ...verdict })
}

const createReviewRequest = (unit: ReviewUnit, state: UnitState): AskRequest => ({
  state: toJson({
    spec: state.spec,
    implementation: state.implementation.text,
    tests: state.tests.text,
  }),
  questions: createReviewQuestions(unit.behaviors),
  extra: new Map(),
})

/** If an interrupt or the time limit stopped the unit, returns an error with that reason. Otherwise returns `unitError`. */
const withStopReason = (
  { client, timeout }: UnitEnv,
  deadline: Deadline,
  unitError: UnitError,
): UnitError => {
  const { failure, facts } = unitError
  const isCallFailure = failure !== undefined && failure._tag !== 'Interrupted'
  if (isCallFailure || !deadline.signal.aborted) return unitError
  return client.signal.aborted
    ? { error: messageOf(interrupted), failure: interrupted, facts }
    : { error: `the review call did not finish within ${formatDuration(timeout)}`, facts }
}

const selectCallFacts = ({
  model,
  requestId,
  usage,
}: AskResponse): Omit<CallFacts, 'truncated'> => ({
  model,
  requestId,
  // 0 if the service did not count them.
  inputTokens: usage.input_tokens === null ? 0 : numberOf(usage.input_tokens),
})

/** Creates a report without answers. `''` and 0 stand for values that are not known. */
const createEmptyReport = (unit: ReviewUnit): UnitReport => ({
  name: unit.name,
  requestId: '',
  model: '',
  inputTokens: 0,
  truncated: false,
  behaviors: [],
  contradictsSpec: 0,
  thoroughness: 0,
  thoroughnessConfidence: 0,
  weakestArea: '',
  weakestConfidence: 0,
  behaviorCount: unit.behaviors.length,
  flags: [],
  notes: unit.notes,
  staleAcceptances: [],
  failing: false,
  error: '',
})

/** Creates the outcome of a unit that could not complete. */
const createErrorOutcome = (
  unit: ReviewUnit,
  { error, failure, facts }: UnitError,
): UnitOutcome => ({
  report: { ...createEmptyReport(unit), ...facts, error, failing: true },
  failure,
})
