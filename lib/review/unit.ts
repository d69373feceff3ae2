import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type * as T from 'fp-ts/Task'
import * as TE from 'fp-ts/TaskEither'
import { ask } from '../client/call/client'
import { type Deadline, startDeadline } from '../client/call/deadline'
import type { ObservedClient } from '../client/call/env'
import { toJson } from '../codec/json/draft'
import { numberOf } from '../codec/json/json'
import type { AskRequest } from '../codec/request'
import type { AskResponse } from '../codec/response'
import type { ReviewUnit } from '../codec/review-config'
import { type Failure, interrupted } from '../failure/failure'
import { messageOf } from '../failure/message'
import { redactAndCut } from '../failure/text/cut'
import { type Duration, formatDuration, toMillis } from '../failure/text/duration'
import { evaluate, type Thresholds } from './evaluate'
import { writeQuestions } from './questions'
import { readAnswersAbout } from './read-answers'
import type { UnitReport } from './report'
import { isTruncated, readUnitState, type Sources, type UnitState } from './unit-state'

/** What running a unit uses. */
export interface UnitEnv {
  readonly sources: Sources
  readonly thresholds: Thresholds
  /** The time limit of one unit; 0 for none. */
  readonly timeout: Duration
  readonly client: ObservedClient
}

/**
 * The outcome of a unit that ran. `failure` is set where its call failed, but not where the unit's time was up
 * (D27).
 */
export interface UnitOutcome {
  readonly report: UnitReport
  readonly failure?: Failure
}

/** What is known about a unit before its answers are judged. */
type Known = Pick<UnitReport, 'requestId' | 'model' | 'inputTokens' | 'truncated'>

/** Why a unit could not complete, and what the report can still say about it. */
interface Stop {
  readonly error: string
  readonly failure?: Failure
  readonly known: Partial<Known>
}

/** Builds the request of a unit. */
const buildRequest = (unit: ReviewUnit, material: UnitState): AskRequest => ({
  state: toJson({
    spec: material.spec,
    implementation: material.implementation.text,
    tests: material.tests.text,
  }),
  questions: writeQuestions(unit.behaviors),
  extra: new Map(),
})

/**
 * Reads the material of a unit, asks about it and judges the answers, all within the unit's time limit. Never
 * fails: whatever goes wrong ends up in the report. spec: Unit errors; D27, D58
 */
export const reviewUnit = (env: UnitEnv, unit: ReviewUnit): T.Task<UnitOutcome> =>
  pipe(
    TE.bracket(
      TE.fromIO<Deadline, Stop>(() => {
        const { runtime, signal } = env.client
        return startDeadline(runtime.clock, signal, toMillis(env.timeout))
      }),
      (deadline) =>
        pipe(
          readUnitState(env.sources, unit, deadline.signal),
          TE.mapLeft((error): Stop => ({ error, known: {} })),
          TE.chain((material) => askAndJudge(env, unit, material, deadline.signal)),
          TE.mapLeft((stop) => explainStop(env, deadline, stop)),
        ),
      (deadline) => TE.fromIO(() => deadline.end(false)),
    ),
    TE.match(
      (stop) => reportError(unit, stop),
      (report): UnitOutcome => ({ report }),
    ),
  )

const askAndJudge = (
  env: UnitEnv,
  unit: ReviewUnit,
  material: UnitState,
  signal: AbortSignal,
): TE.TaskEither<Stop, UnitReport> => {
  const truncated = isTruncated(material)
  return pipe(
    ask(buildRequest(unit, material))({ ...env.client, signal }),
    TE.mapLeft(({ failure }): Stop => {
      const requestId = failure._tag === 'ApiError' ? failure.requestId : ''
      return { error: messageOf(failure), failure, known: { requestId, truncated } }
    }),
    TE.chainEitherK(({ value: response }) => {
      const known: Known = { ...describeResponse(response), truncated }
      const prepare = redactAndCut(env.client.redact)
      return pipe(
        readAnswersAbout(unit.behaviors, response),
        E.mapLeft((error): Stop => ({ error: prepare(error), known })),
        E.map((read) => ({ ...read, weakestArea: prepare(read.weakestArea) })),
        E.map((read) => ({
          ...startReport(unit),
          ...known,
          ...read,
          ...evaluate(read, unit.accepted, env.thresholds),
        })),
      )
    }),
  )
}

/** Corrects the reason why a unit stopped, where an interrupt or the end of its time made its work fail. */
const explainStop = ({ client, timeout }: UnitEnv, deadline: Deadline, stop: Stop): Stop => {
  const { failure, known } = stop
  if (!deadline.signal.aborted || (failure !== undefined && failure._tag !== 'Interrupted'))
    return stop
  return client.signal.aborted
    ? { error: messageOf(interrupted), failure: interrupted, known }
    : { error: `the review call did not finish within ${formatDuration(timeout)}`, known }
}

const describeResponse = ({ model, requestId, usage }: AskResponse): Omit<Known, 'truncated'> => ({
  model,
  requestId,
  inputTokens: usage.input_tokens === null ? 0 : numberOf(usage.input_tokens),
})

/** The report about a unit before anything is known of it. */
const startReport = (unit: ReviewUnit): UnitReport => ({
  ...{ name: unit.name, requestId: '', model: '', inputTokens: 0, truncated: false, error: '' },
  ...{ behaviors: [], contradictsSpec: 0, thoroughness: 0, thoroughnessConfidence: 0 },
  ...{ weakestArea: '', weakestConfidence: 0, total: unit.behaviors.length, flags: [] },
  ...{ notes: unit.notes, staleAcceptances: [], failing: false },
})

const reportError = (unit: ReviewUnit, { error, failure, known }: Stop): UnitOutcome => ({
  report: { ...startReport(unit), ...known, error, failing: true },
  ...(failure === undefined ? {} : { failure }),
})
