import * as E from 'fp-ts/Either'
import {
  type AnsweringEngine,
  badAnswer,
  type ComputingEngine,
  type EngineFailure,
} from '../engines/engine'
import { type SetModel, withModel } from '../engines/upstream/with-model'
import { answerAsk, type ReadAsk } from '../http/answer-ask'
import type { Done, Task } from './messages'
import { readOnThisThread } from './perform-task'
import type { Lost, Pool } from './pool'
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
 * way. D69
 *
 * To run another engine this way, add its name and the plain values that it is made from to `WorkerEngine`, and
 * open it in `worker.ts`. There it is an ordinary `AnsweringEngine`, whose `answer` may block the thread for as
 * long as it needs: when `--answer-timeout` is over, the thread is ended and a new one opens the engine again.
 * Each worker has an engine, and so a model, of its own.
 */
export const engineInWorkers = (engine: AnsweringEngine, workers: Workers): ComputingEngine => {
  const askOnThisThread = answerAsk(engine, readOnThisThread)
  return {
    kind: 'computing',
    name: engine.name,
    models: engine.models,
    isQuick,
    ask: async (document, context) => {
      if (isQuick(document)) return askOnThisThread(document, context)
      const { signal, holder } = context
      const done = await workers.run(() => ({ kind: 'ask', body: owned(document) }), signal, holder)
      if (E.isLeft(done)) return { result: E.left(lost(done.left)) }
      return done.right.kind === 'ask' ? done.right.outcome : { result: E.left(failed) }
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
    const { signal, holder } = context
    const done = await workers.run(() => ({ kind: 'read', body: owned(document) }), signal, holder)
    if (E.isLeft(done)) return E.left(lost(done.left))
    return done.right.kind === 'read' ? restored(done.right.result) : E.left(failed)
  }

/**
 * Sets the model of large request documents in worker threads, and of small ones on this thread, for an engine that
 * passes documents on. The caller keeps its document: the worker gets a copy. D69, D73
 */
export const setModelInWorkers =
  (workers: Workers): SetModel =>
  async (body, model, { signal, holder }) => {
    if (isQuick(body)) return E.right(withModel(body, model))
    const task = () => ({ kind: 'model', body: new Uint8Array(body), model }) as const
    const done = await workers.run(task, signal, holder)
    if (E.isLeft(done)) return E.left(lost(done.left))
    return done.right.kind === 'model' ? E.right(done.right.body) : E.left(failed)
  }

const lost = ({ cause }: Lost): EngineFailure => badAnswer('The engine failed.', cause)

const failed = lost({ cause: 'a worker did something else than it was told' })
