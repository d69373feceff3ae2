import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../failure/failure'
import type { Clock } from '../runtime/runtime'
import { createWorkQueue, type WorkQueue } from '../runtime/work-queue'
import type { Logger } from '../tracing/log'
import type { Tracer } from '../tracing/trace'
import type { Engine } from './contract/engine'
import { createAnsweringOperations } from './http/answering-operations'
import type { Operations } from './http/call'
import { newCalls } from './http/calls'
import { createPassingOperations } from './http/passing-operations'
import { bodyReader } from './http/read-body'
import type { Service } from './http/router'
import { type Listening, listen } from './http/server'
import { tokenBuckets, unlimited } from './limits/admission'
import { type CallEngine, engineCaller } from './limits/call-engine'
import { newHeldBytes } from './limits/held-bytes'
import type { Keys } from './limits/keys'
import { newTurns } from './limits/turns'
import { type Metrics, newMetrics } from './observe/metrics'
import { newReadiness, type Readiness } from './observe/readiness'

/** The settings of a service. Times are in milliseconds. */
export interface ServiceOptions {
  readonly host: string
  readonly port: number
  /** The accepted API keys, which `checkKeys` found fit for the host. */
  readonly keys: Keys
  /** How many requests a key may make per minute; 0 for no limit. */
  readonly ratePerMinute: number
  readonly maxConcurrent: number
  readonly maxQueue: number
  readonly readMs: number
  readonly idleMs: number
  readonly answerMs: number
  readonly drainMs: number
  /** The most bytes of one request body. D80 */
  readonly maxBody: number
  /** The most bytes of request bodies and unread responses of all callers that are held at one time. D80 */
  readonly maxHeldBytes: number
}

/** What the service uses besides its engine. */
interface ServiceWorld {
  readonly clock: Clock
  readonly tracer: Tracer
  /** Receives one line per request at level `info`. */
  readonly log: Logger
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
    probeEngine(engine),
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
  { clock, tracer, log }: ServiceWorld,
): Service => {
  const queue = queueFor(engine, options)
  const metrics = newMetrics(queue, clock)
  const held = newHeldBytes(options.maxHeldBytes)
  const callEngine = engineCaller({
    engineName: engine.name,
    queue,
    takeTurn: newTurns(),
    held,
    clock,
    metrics,
    answerMs: options.answerMs,
    noteCall: readiness.noteCall,
  })
  return {
    calls: newCalls({ clock, tracer, log, metrics }, { clock, idleMs: options.idleMs, held }),
    admission: {
      keys: options.keys,
      rateLimit:
        options.ratePerMinute > 0
          ? tokenBuckets(options.ratePerMinute, clock.monotonic)
          : unlimited,
    },
    readBody: bodyReader({ clock, maxBody: options.maxBody, readMs: options.readMs, held }),
    operations: operationsOf(engine, callEngine, metrics),
    takesPrefixes: engine.kind === 'passing' && engine.takesPrefixes === true,
    metrics,
    readiness,
  }
}

/** The line for an engine. Where it takes one request at a time, the others wait that it could have worked on. */
const queueFor = (engine: Engine, { maxConcurrent, maxQueue }: ServiceOptions): WorkQueue => {
  const running = engine.kind === 'answering' && engine.takesOneRequest ? 1 : maxConcurrent
  return createWorkQueue(running, maxQueue + maxConcurrent - running)
}

const operationsOf = (engine: Engine, callEngine: CallEngine, metrics: Metrics): Operations => {
  switch (engine.kind) {
    case 'answering':
      return createAnsweringOperations(engine, callEngine, metrics)
    case 'passing':
      return createPassingOperations(engine, callEngine)
  }
}

const probeEngine = (engine: Engine): TE.TaskEither<Failure, void> =>
  engine.probe === undefined
    ? TE.right(undefined)
    : pipe(
        engine.probe(),
        TE.mapLeft((failure) => usage(`engine ${engine.name}: ${failure.message}`)),
      )
