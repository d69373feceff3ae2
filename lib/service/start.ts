import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../failure/failure'
import { createWorkQueue, type WorkQueue } from '../runtime/work-queue'
import type { Engine } from './contract/engine'
import { createService, type ServiceEnvironment, type ServiceLimits } from './create-service'
import { type Listening, listen } from './http/server'
import { createMetrics } from './observe/metrics'
import { createFindPeer } from './observe/peer'
import { createReadiness } from './observe/readiness'

/** The settings of a service that listens. */
export interface ServiceOptions extends ServiceLimits {
  readonly host: string
  readonly port: number
  /** The maximum number of concurrent calls to the engine. */
  readonly maxConcurrent: number
  /** The maximum time that stopping waits for requests in flight. */
  readonly drainTimeoutMs: number
  /** The addresses of proxies whose `X-Forwarded-For` names the caller. */
  readonly trustedProxies: ReadonlyArray<string>
}

/** Starts a service. Stopping it closes the engine too. Fails with a usage error if the address is in use or unavailable. */
export const startService =
  (
    engine: Engine,
    options: ServiceOptions,
    environment: ServiceEnvironment,
  ): TE.TaskEither<Failure, Listening> =>
  async () => {
    const queue = createEngineQueue(engine, options.maxConcurrent)
    const readiness = createReadiness(engine, environment)
    const service = createService(engine, options, environment, {
      queue,
      metrics: createMetrics(queue, environment),
      readiness,
      findPeer: createFindPeer(options.trustedProxies),
    })
    const listening = await listen(service, options)()
    if (E.isLeft(listening)) return listening
    const stop = async (): Promise<void> => {
      readiness.stop()
      await listening.right.stop()
      await environment.recorder?.settle()
      await environment.answerLog?.close()
      await engine.close()
    }
    return E.right({ ...listening.right, stop })
  }

/** Creates the queue for calls to the engine. It has no maximum length, because `limitWaiting` counts requests before it. */
const createEngineQueue = (engine: Engine, maxConcurrent: number): WorkQueue => {
  const takesOneRequest = engine.kind === 'answering' && engine.takesOneRequest
  return createWorkQueue(takesOneRequest ? 1 : maxConcurrent, Number.POSITIVE_INFINITY)
}
