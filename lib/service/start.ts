import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../failure/failure'
import type { Logger } from '../runtime/log'
import type { Clock } from '../runtime/runtime'
import type { Tracer } from '../runtime/trace'
import { workQueue } from '../runtime/work-queue'
import { type CallEngine, engineCaller } from './engines/call-engine'
import type { Engine } from './engines/engine'
import { answerAsk, type ReadAsk } from './http/answer-ask'
import { answering } from './http/answering-operations'
import { bodyTurns } from './http/body-turns'
import type { Operations } from './http/call'
import { newCalls } from './http/calls'
import { passing } from './http/passing-operations'
import { bodyReader } from './http/read-body'
import type { Service } from './http/router'
import { type Listening, listen } from './http/server'
import { heldBytes } from './limits/held-bytes'
import { type Keys, keysFor, liveKeys } from './limits/keys'
import { tokenBuckets, unlimited } from './limits/rate-limit'
import { type Metrics, newMetrics } from './observe/metrics'
import { newReadiness, type Readiness } from './readiness'

/** The settings of a service. Times are in milliseconds. */
export interface ServiceOptions {
  readonly host: string
  readonly port: number
  readonly keys: ReadonlyArray<string>
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

/** A running service. */
interface Started extends Listening {
  /**
   * Replaces the accepted API keys. Fails, and keeps the old ones, where the service could not have been
   * started with the new ones. D78
   */
  readonly acceptKeys: (keys: ReadonlyArray<string>) => E.Either<Failure, void>
}

/**
 * Starts the service: checks that the engine is ready, then accepts connections. Stopping it closes the engine
 * too. Fails with a usage error where the keys, the engine or the address do not allow a start. D36, D38
 */
export const startService = (
  engine: Engine,
  options: ServiceOptions,
  world: ServiceWorld,
): TE.TaskEither<Failure, Started> =>
  pipe(
    TE.fromEither(pipe(keysFor(options.host, options.keys), E.map(liveKeys))),
    TE.chainFirst(() => probed(engine)),
    TE.bindTo('keys'),
    TE.bind('readiness', () => TE.of(newReadiness(engine, world))),
    TE.bind('listening', ({ keys, readiness }) =>
      listen(serviceOf(engine, keys, readiness, options, world), {
        ...options,
        clock: world.clock,
      }),
    ),
    TE.map(({ keys, readiness, listening }) => ({
      url: listening.url,
      acceptKeys: (list) => pipe(keysFor(options.host, list), E.map(keys.exchange)),
      stop: async () => {
        readiness.stop()
        await listening.stop()
        await engine.close()
      },
    })),
  )

const serviceOf = (
  engine: Engine,
  keys: Keys,
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
      keys,
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
