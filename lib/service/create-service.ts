import type { Recorder } from '../replay/record/recorder'
import type { Clock } from '../runtime/runtime'
import type { Tracer } from '../runtime/tracer'
import type { WorkQueue } from '../runtime/work-queue'
import type { Logger } from '../tracing/log'
import type { AnswerLog } from './answer-log/answer-log'
import type { Engine } from './contract/engine'
import { createCallEngine } from './http/call-engine'
import { createRequestIds } from './http/record-request'
import type { Service } from './http/service'

/** The settings of a service, however its callers reach it. */
export interface ServiceLimits
  extends Pick<
    Service,
    | 'keys'
    | 'maxRequestsPerMinute'
    | 'maxWaiting'
    | 'maxBodyBytes'
    | 'readTimeoutMs'
    | 'idleTimeoutMs'
  > {
  /** The maximum time for an answer, including the wait in the queue for the engine. */
  readonly answerTimeoutMs: number
}

/** The parts of the program that a service uses. */
export interface ServiceEnvironment {
  readonly clock: Clock
  readonly tracer: Tracer
  /** Gets one line per request at level `info`. */
  readonly log: Logger
  /** Writes each exchange as a scenario. */
  readonly recorder?: Recorder | undefined
  /** Gets each answer, for the answer log. */
  readonly answerLog?: AnswerLog | undefined
}

/** The parts of a service that observe its requests, and the queue for its engine. */
export interface ServiceParts extends Pick<Service, 'metrics' | 'readiness' | 'findPeer'> {
  readonly queue: WorkQueue
}

/** Creates a service. It answers once an app, made by `createApp`, gets requests. */
export const createService = (
  engine: Engine,
  limits: ServiceLimits,
  environment: ServiceEnvironment,
  { queue, ...observers }: ServiceParts,
): Service => {
  const { clock } = environment
  const { answerTimeoutMs } = limits
  return {
    ...limits,
    ...environment,
    ...observers,
    engine,
    callEngine: createCallEngine({ engine, queue, answerTimeoutMs, clock, ...observers }),
    createRequestId: createRequestIds(clock.now),
    inFlight: new Set(),
  }
}
