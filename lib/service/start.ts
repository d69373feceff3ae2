import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../failure/failure'
import type { Recorder } from '../replay/record/recorder'
import type { Clock } from '../runtime/runtime'
import type { Tracer } from '../runtime/tracer'
import { createWorkQueue, type WorkQueue } from '../runtime/work-queue'
import type { Logger } from '../tracing/log'
import type { Engine } from './contract/engine'
import { createCallEngine } from './http/call-engine'
import { createRequestIds } from './http/record-request'
import { type Listening, listen } from './http/server'
import type { Service } from './http/service'
import { createMetrics } from './observe/metrics'
import { createFindPeer } from './observe/peer'
import { createReadiness, type Readiness } from './observe/readiness'

/** The settings of a service. */
export interface ServiceOptions
  extends Pick<
    Service,
    | 'keys'
    | 'maxRequestsPerMinute'
    | 'maxWaiting'
    | 'maxBodyBytes'
    | 'readTimeoutMs'
    | 'idleTimeoutMs'
  > {
  readonly host: string
  readonly port: number
  /** The maximum number of concurrent calls to the engine. */
  readonly maxConcurrent: number
  /** The maximum time for an answer, including the wait in the queue for the engine. */
  readonly answerTimeoutMs: number
  /** The maximum time that stopping waits for requests in flight. */
  readonly drainTimeoutMs: number
  /** The addresses of proxies whose `X-Forwarded-For` names the caller. */
  readonly trustedProxies: ReadonlyArray<string>
}

interface ServiceEnvironment {
  readonly clock: Clock
  readonly tracer: Tracer
  /** Gets one line per request at level `info`. */
  readonly log: Logger
  /** Writes each exchange as a scenario. */
  readonly recorder?: Recorder | undefined
}

/** Starts a service. Stopping it closes the engine too. Fails with a usage error if the address is in use or unavailable. */
export const startService =
  (
    engine: Engine,
    options: ServiceOptions,
    environment: ServiceEnvironment,
  ): TE.TaskEither<Failure, Listening> =>
  async () => {
    const readiness = createReadiness(engine, environment)
    const service = createService(engine, readiness, options, environment)
    const listening = await listen(service, options)()
    if (E.isLeft(listening)) return listening
    const stop = async (): Promise<void> => {
      readiness.stop()
      await listening.right.stop()
      await environment.recorder?.settle()
      await engine.close()
    }
    return E.right({ ...listening.right, stop })
  }

const createService = (
  engine: Engine,
  readiness: Readiness,
  options: ServiceOptions,
  environment: ServiceEnvironment,
): Service => {
  const { clock } = environment
  const queue = createEngineQueue(engine, options.maxConcurrent)
  const metrics = createMetrics(queue, clock)
  const { answerTimeoutMs } = options
  return {
    ...options,
    ...environment,
    engine,
    readiness,
    metrics,
    callEngine: createCallEngine({ engine, queue, answerTimeoutMs, clock, metrics, readiness }),
    findPeer: createFindPeer(options.trustedProxies),
    createRequestId: createRequestIds(clock.now),
    inFlight: new Set(),
  }
}

/** Creates the queue for calls to the engine. It has no maximum length, because `limitWaiting` counts requests before it. */
const createEngineQueue = (engine: Engine, maxConcurrent: number): WorkQueue => {
  const takesOneRequest = engine.kind === 'answering' && engine.takesOneRequest
  return createWorkQueue(takesOneRequest ? 1 : maxConcurrent, Number.POSITIVE_INFINITY)
}
