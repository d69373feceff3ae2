import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../failure/failure'
import type { Recorder } from '../replay/recorder'
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

/** The settings of a service. Times are in milliseconds. */
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
  /** The number of requests that the engine works on at a time. */
  readonly maxConcurrent: number
  /** The maximum time for an answer, including the wait for the engine. */
  readonly answerTimeoutMs: number
  /** The maximum time that stopping waits for requests in flight. */
  readonly drainTimeoutMs: number
  /** The addresses of proxies whose `X-Forwarded-For` names the caller. */
  readonly trustedProxies: ReadonlyArray<string>
}

/** The parts of the program that the service uses. */
interface ServiceEnvironment {
  readonly clock: Clock
  readonly tracer: Tracer
  /** Receives one line per request at level `info`. */
  readonly log: Logger
  /** Writes each exchange as a scenario. */
  readonly recorder?: Recorder | undefined
}

/**
 * Starts the service: accepts connections, whose requests the engine answers. Stopping it closes the engine too. Fails
 * with a usage error if the address cannot be used.
 */
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

/** Creates the queue in front of the engine. Its length is not limited, because requests are counted before they reach it. */
const createEngineQueue = (engine: Engine, maxConcurrent: number): WorkQueue => {
  const takesOne = engine.kind === 'answering' && engine.takesOneRequest
  return createWorkQueue(takesOne ? 1 : maxConcurrent, Number.POSITIVE_INFINITY)
}
