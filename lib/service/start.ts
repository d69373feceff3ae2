import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../failure/failure'
import type { Recorder } from '../replay/recorder'
import type { Clock } from '../runtime/runtime'
import type { Tracer } from '../runtime/tracer'
import { createWorkQueue, type WorkQueue } from '../runtime/work-queue'
import type { Logger } from '../tracing/log'
import type { Engine } from './contract/engine'
import type { Service } from './http/app'
import { type Listening, listen } from './http/server'
import { createCallEngine } from './limits/call-engine'
import type { Keys } from './limits/keys'
import { tokenBuckets, unlimited } from './limits/rate'
import { createTurns } from './limits/turns'
import { createWaitingRoom } from './limits/waiting-room'
import { createMetrics } from './observe/metrics'
import { createFindPeer } from './observe/peer'
import { createReadiness, type Readiness } from './observe/readiness'
import { createRequestIds } from './observe/request'

/** The settings of a service. Times are in milliseconds. */
export interface ServiceOptions {
  readonly host: string
  readonly port: number
  /** The accepted API keys. `checkKeys` found them fit for the host. */
  readonly keys: Keys
  /** The number of requests that a key may make per minute; 0 means no limit. */
  readonly ratePerMinute: number
  /** The number of requests that the engine works on at a time. */
  readonly maxConcurrent: number
  /** The number of requests that may wait or be in work. One key may have half of them. */
  readonly maxWaiting: number
  readonly maxBodyBytes: number
  readonly readMs: number
  readonly idleMs: number
  readonly answerMs: number
  readonly drainMs: number
  /** The addresses of proxies whose `X-Forwarded-For` names the caller. */
  readonly trustedProxies: ReadonlyArray<string>
}

/** The parts of the program that the service uses. */
interface ServiceWorld {
  readonly clock: Clock
  readonly tracer: Tracer
  /** Receives one line per request at level `info`. */
  readonly log: Logger
  /** Writes each exchange as a scenario. */
  readonly recorder?: Recorder | undefined
}

/**
 * Starts the service: checks that the engine is ready, then accepts connections. Stopping it closes the engine
 * too. Fails with a usage error if the engine or the address do not allow a start.
 */
export const startService =
  (
    engine: Engine,
    options: ServiceOptions,
    world: ServiceWorld,
  ): TE.TaskEither<Failure, Listening> =>
  async () => {
    const probed = await probeEngine(engine)()
    if (E.isLeft(probed)) return probed
    const readiness = createReadiness(engine, world)
    const service = createService(engine, readiness, options, world)
    const listening = await listen(service, options)()
    if (E.isLeft(listening)) return listening
    const stop = async (): Promise<void> => {
      readiness.stop()
      await listening.right.stop()
      await world.recorder?.settle()
      await engine.close()
    }
    return E.right({ ...listening.right, stop })
  }

const probeEngine = (engine: Engine): TE.TaskEither<Failure, void> =>
  pipe(
    engine.probe?.() ?? TE.right(undefined),
    TE.mapLeft(({ message }) => usage(`engine ${engine.name}: ${message}`)),
  )

const createService = (
  engine: Engine,
  readiness: Readiness,
  options: ServiceOptions,
  { clock, tracer, log, recorder }: ServiceWorld,
): Service => {
  const { keys, ratePerMinute, maxWaiting, maxBodyBytes, readMs, answerMs, idleMs } = options
  const queue = createQueue(engine, options)
  const metrics = createMetrics(queue, clock)
  const takeTurn = createTurns()
  const engineName = engine.name
  return {
    engine,
    recorder,
    clock,
    tracer,
    log,
    metrics,
    readiness,
    findPeer: createFindPeer(options.trustedProxies),
    newRequestId: createRequestIds(clock.now),
    live: new Set(),
    keys,
    rateLimit: ratePerMinute > 0 ? tokenBuckets(ratePerMinute, clock.monotonic) : unlimited,
    // Without keys there is only one caller, who may have all places.
    room: createWaitingRoom(maxWaiting, keys.isOpen() ? maxWaiting : Math.ceil(maxWaiting / 2)),
    callEngine: createCallEngine({ engineName, queue, takeTurn, clock, metrics, readiness }),
    maxBodyBytes,
    readMs,
    answerMs,
    idleMs,
  }
}

/** The queue in front of the engine. How many may wait in it is the waiting room's business. */
const createQueue = (engine: Engine, { maxConcurrent }: ServiceOptions): WorkQueue => {
  const takesOne = engine.kind === 'answering' && engine.takesOneRequest
  return createWorkQueue(takesOne ? 1 : maxConcurrent, Number.POSITIVE_INFINITY)
}
