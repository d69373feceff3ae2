import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type { AnsweringEngine, ComputingEngine, EngineContext } from '../contract/engine'
import { engineFailed, type Problem } from '../contract/problem'
import { type SetModel, withModel } from '../engines/upstream/with-model'
import { answerAsk, type ReadAsk } from '../http/answer-ask'
import type { Done, Task } from './messages'
import { readOnThisThread } from './perform-task'
import type { Pool } from './pool'
import { owned, restored } from './transfer'

/** The worker threads that read or answer requests. */
export type Workers = Pool<Task, Done>

/**
 * The largest document, in bytes, that is read and answered on the thread that accepts connections. That takes
 * less than a millisecond whatever it holds, and sending it to a worker and back would usually cost more. D69
 */
export const largestInline = 2 << 10

const isQuick = (document: Uint8Array): boolean => document.length <= largestInline

/**
 * Creates an engine that answers large requests in worker threads, and small ones on this thread, in the same
 * way. Workers open the engine for themselves, see `worker.ts`. There its `answer` may block the thread for as
 * long as it needs: when `--answer-timeout` is over, the thread is ended and a new one takes its place. D69
 */
export const engineInWorkers = (engine: AnsweringEngine, workers: Workers): ComputingEngine => {
  const askOnThisThread = answerAsk(engine, readOnThisThread)
  return {
    kind: 'computing',
    name: engine.name,
    model: engine.model,
    isQuick,
    ask: async (document, context) => {
      if (isQuick(document)) return askOnThisThread(document, context)
      const task = () => ({ kind: 'ask', body: owned(document) }) as const
      const done = await inWorker(workers, task, context)
      return E.isLeft(done) ? { result: done } : done.right.outcome
    },
    close: workers.close,
  }
}

/**
 * Reads large requests in worker threads, and small ones on this thread, for an engine that waits for another
 * server instead of computing. D69
 */
export const readInWorkers =
  (workers: Workers): ReadAsk =>
  async (document, context) => {
    if (isQuick(document)) return readOnThisThread(document, context)
    const task = () => ({ kind: 'read', body: owned(document) }) as const
    const done = await inWorker(workers, task, context)
    return E.isLeft(done) ? done : restored(done.right.result)
  }

/**
 * Sets the model of large request documents in worker threads, and of small ones on this thread, for an engine that
 * passes documents on. The caller keeps its document: the worker gets a copy. D69, D73
 */
export const setModelInWorkers =
  (workers: Workers): SetModel =>
  async (body, model, context) => {
    if (isQuick(body)) return E.right(withModel(body, model))
    const task = () => ({ kind: 'model', body: new Uint8Array(body), model }) as const
    const done = await inWorker(workers, task, context)
    return E.isLeft(done) ? done : E.right(done.right.body)
  }

type Kind = Task['kind']
type DoneOf<K extends Kind> = Extract<Done, { readonly kind: K }>

/** Has a worker do a task. Fails where the task was cancelled or its worker died. */
const inWorker = async <K extends Kind>(
  workers: Workers,
  task: () => Task & { readonly kind: K },
  { signal, holder }: EngineContext,
): Promise<E.Either<Problem, DoneOf<K>>> =>
  pipe(
    await workers.run(task, signal, holder),
    E.bimap(
      ({ cause }) => engineFailed('The engine failed.', cause),
      // The result of a task has the task's kind.
      (done) => done as DoneOf<K>,
    ),
  )
