import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { badAnswer, type ComputingEngine, type EngineFailure } from '../engines/engine'
import type { ReadAsk } from '../http/answer-ask'
import { owned, restored } from './moved'
import type { Lost, Pool } from './pool'
import type { Done, Task } from './work'

/** The worker threads that read or answer requests. */
export type Workers = Pool<Task, Done>

/**
 * Creates an engine that runs in worker threads, once the first worker has opened it. Fails where the engine
 * cannot be opened. D69
 *
 * To run another engine this way, add its name and the plain values that it is made from to `WorkerEngine`, and
 * open it in `worker.ts`. There it is an ordinary `AnsweringEngine`, whose `answer` may block the thread for as
 * long as it needs: when `--answer-timeout` is over, the thread is ended and a new one opens the engine again.
 * Each worker has an engine, and so a model, of its own.
 */
export const engineInWorkers = (
  name: string,
  workers: Workers,
  signal: AbortSignal,
): TE.TaskEither<EngineFailure, ComputingEngine> =>
  pipe(
    () => workers.run(() => ({ kind: 'open' }), signal),
    TE.mapLeft(({ cause }) => badAnswer(cause)),
    TE.chainEitherK((done) => (done.kind === 'open' ? done.result : E.left(failed))),
    TE.map((models) => ({
      kind: 'computing',
      name,
      models,
      ask: async (document, { signal, holder }) => {
        const done = await workers.run(
          () => ({ kind: 'ask', body: owned(document) }),
          signal,
          holder,
        )
        if (E.isLeft(done)) return { result: E.left(lost(done.left)) }
        return done.right.kind === 'ask' ? done.right.outcome : { result: E.left(failed) }
      },
      close: workers.close,
    })),
  )

/** Reads requests in worker threads, for an engine that waits for another server instead of computing. D69 */
export const readInWorkers =
  (workers: Workers): ReadAsk =>
  async (document, { signal, holder }) => {
    const done = await workers.run(() => ({ kind: 'read', body: owned(document) }), signal, holder)
    if (E.isLeft(done)) return E.left(lost(done.left))
    return done.right.kind === 'read' ? restored(done.right.result) : E.left(failed)
  }

const lost = ({ cause }: Lost): EngineFailure => badAnswer('The engine failed.', cause)

const failed = lost({ cause: 'a worker did something else than it was told' })
