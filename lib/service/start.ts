import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../failure/failure'
import type { Clock } from '../runtime/runtime'
import { workQueue } from '../runtime/work-queue'
import type { Logger } from '../telemetry/log'
import type { Tracer } from '../telemetry/trace'
import type { Engine } from './contract/engine'
import { answerAsk, type ReadAsk } from './http/answer-ask'
import { answering } from './http/answering-operations'
import { bodyTurns } from './http/body-turns'
import type { Operations } from './http/call'
import { newCalls } from './http/calls'
import { passing } from './http/passing-operations'
import { bodyReader } from './http/read-body'
import type { Service } from './http/router'
import { type Listening, listen } from './http/server'
import { type CallEngine, engineCaller } from './limits/call-engine'
import { heldBytes } from './limits/held-bytes'
import type { Keys } from './limits/keys'
import { tokenBuckets, unlimited } from './limits/rate-limit'
import { type Metrics, newMetrics } from './observe/metrics'
import { newReadiness, type Readiness } from './observe/readiness'

/** The settings of a service. Times are in milliseconds. */
export interface ServiceOptions {
  readonly host: string
  readonly port: number
  /** The accepted API keys, which `keysFor` found fit for the host. */
  readonly keys: Keys
  /** How many requests a key may make per minute; 0 for no limit. */
  readonly ratePerMinute: number
  readonly maxConcurrent: number
  readonly maxQueue: number
  readonly readMs: number
  readonly idleMs: number
  readonly answerMs: number
  readonly drainMs: number
  /** The most bytes of request bodies and unread responses that are held in memory at one time. D70 */
  readonly maxHeldBytes: number
}

/** What the service uses besides its engine. */
interface ServiceWorld {
  readonly clock: Clock
  readonly tracer: Tracer
  /** Receives one line per request at level `info`. */
  readonly log: Logger
  /** Reads and checks the request documents for an `answering` engine. */
  readonly readAsk: ReadAsk
}

/**
 * Starts the service: checks that the engine is ready, then accepts connections. Stopping it closes the engine
 * too. Fails with a usage error where the engine or the address do not allow a start. D36
 */
export const startService = (
  engine: Engine,
  options: ServiceOptions,
  world: ServiceWorld,
): TE.TaskEither<Failure, Listening> =>
  pipe(
    probed(engine),
    TE.map(() => newReadiness(engine, world)),
    TE.bindTo('readiness'),
    TE.bind('listening', ({ readiness }) =>
      listen(serviceOf(engine, readiness, options, world), {
        ...options,
        clock: world.clock,
      }),
    ),
    TE.map(({ readiness, listening }) => ({
      url: listening.url,
      stop: async () => {
        readiness.stop()
        await listening.stop()
        await engine.close()
      },
    })),
  )

const serviceOf = (
  engine: Engine,
  readiness: Readiness,
  options: ServiceOptions,
  { clock, tracer, log, readAsk }: ServiceWorld,
): Service => {
  const queue = workQueue(options.maxConcurrent, options.maxQueue)
  const metrics = newMetrics(queue)
  const held = heldBytes(options.maxHeldBytes)
  const turns = bodyTurns()
  const callEngine = engineCaller({
    engineName: engine.name,
    queue,
    clock,
    metrics,
    answerMs: options.answerMs,
    called: readiness.called,
  })
  return {
    calls: newCalls(
      { clock, tracer, log, metrics },
      { clock, idleMs: options.idleMs, held, turns },
    ),
    admission: {
      keys: options.keys,
      rateLimit:
        options.ratePerMinute > 0
          ? tokenBuckets(options.ratePerMinute, clock.monotonic)
          : unlimited,
    },
    readBody: bodyReader({ clock, readMs: options.readMs, held, turns }),
    operations: operations(engine, callEngine, metrics, readAsk),
    takesPrefixes: engine.kind === 'passing' && engine.takesPrefixes === true,
    metrics,
    readiness,
  }
}

const operations = (
  engine: Engine,
  callEngine: CallEngine,
  metrics: Metrics,
  readAsk: ReadAsk,
): Operations => {
  switch (engine.kind) {
    case 'answering': {
      const ask = answerAsk(engine, readAsk)
      return answering({ model: engine.model, ask, isQuick: () => false }, callEngine, metrics)
    }
    case 'computing':
      return answering(engine, callEngine, metrics)
    case 'passing':
      return passing(engine, callEngine)
  }
}

const probed = (engine: Engine): TE.TaskEither<Failure, void> =>
  engine.probe === undefined
    ? TE.right(undefined)
    : pipe(
        engine.probe(),
        TE.mapLeft((failure) => usage(`engine ${engine.name}: ${failure.message}`)),
      )
