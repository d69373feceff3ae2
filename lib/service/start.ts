import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../failure/failure'
import type { Logger } from '../runtime/log'
import type { Clock } from '../runtime/runtime'
import type { Tracer } from '../runtime/trace'
import type { Engine } from './engines/engine'
import { bodyReader } from './http/body'
import { lifecycle } from './http/lifecycle'
import { type Listening, listen } from './http/server'
import { gate } from './limits/gate'
import { keysFor } from './limits/keys'
import { tokenBuckets, unlimited } from './limits/rate-limit'
import { newMetrics } from './observe/metrics'

/** What can be set about a service. Times in milliseconds. */
export interface ServiceOptions {
  readonly host: string
  readonly port: number
  readonly keys: ReadonlyArray<string>
  /** Requests per minute and key; 0 for no limit. */
  readonly ratePerMinute: number
  readonly maxConcurrent: number
  readonly maxQueue: number
  readonly readMs: number
  readonly idleMs: number
  readonly answerMs: number
  readonly drainMs: number
  /** Request bodies held in memory at most, all together. */
  readonly maxHeldBytes: number
}

/** What the service needs of the outside. */
export interface ServiceWorld {
  readonly clock: Clock
  readonly tracer: Tracer
  readonly log: Logger
  /** Whether each request gets a line (`info` and `debug`). */
  readonly accessLog: boolean
}

/** Probes the engine, then opens the socket. `stop` closes the engine as well. D36 */
export const startService = (
  engine: Engine,
  options: ServiceOptions,
  world: ServiceWorld,
): TE.TaskEither<Failure, Listening> =>
  pipe(
    TE.fromEither(keysFor(options.host, options.keys)),
    TE.chainFirst(() => probed(engine)),
    TE.chain((keys) => {
      const line = gate(options.maxConcurrent, options.maxQueue)
      const metrics = newMetrics(line)
      const { clock, log } = world
      const service = {
        engine,
        lifecycle: lifecycle({ ...world, metrics }),
        readBody: bodyReader({ clock, readMs: options.readMs, maxHeld: options.maxHeldBytes }),
        admission: {
          keys,
          rateLimit:
            options.ratePerMinute > 0
              ? tokenBuckets(options.ratePerMinute, clock.monotonic)
              : unlimited,
        },
        door: {
          engineName: engine.name,
          gate: line,
          clock,
          metrics,
          answerMs: options.answerMs,
          log: (event: string, fields?: Readonly<Record<string, string | number>>) =>
            log.warning(event, fields),
        },
      }
      return listen(service, { ...options, clock })
    }),
    TE.map((listening) => ({
      url: listening.url,
      stop: async () => {
        await listening.stop()
        await engine.close()
      },
    })),
  )

const probed = (engine: Engine): TE.TaskEither<Failure, void> =>
  engine.probe === undefined
    ? TE.right(undefined)
    : pipe(
        engine.probe(),
        TE.mapLeft((failure) => usage(`engine ${engine.name}: ${failure.message}`)),
      )
