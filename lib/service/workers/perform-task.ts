import * as E from 'fp-ts/Either'
import { noSpan } from '../../runtime/trace'
import type { AnsweringEngine, EngineFailure } from '../engines/engine'
import { withModel } from '../engines/upstream/with-model'
import { answerAsk, type ReadAsk } from '../http/answer-ask'
import { readAsk } from '../http/read-ask'
import type { Done, Task } from './messages'

/** Opens the engine of a worker. */
export type OpenEngine = () => Promise<E.Either<EngineFailure, AnsweringEngine>>

/**
 * Returns the function that does a worker's tasks. The engine is opened once, for the first task that needs it.
 * A promise that rejects is a defect and ends the worker.
 */
export const performer = (open: OpenEngine): ((task: Task) => Promise<Done>) => {
  let opening: ReturnType<OpenEngine> | undefined
  const engine = (): ReturnType<OpenEngine> => {
    opening ??= open()
    return opening
  }
  return async (task) => {
    switch (task.kind) {
      case 'read':
        return { kind: 'read', result: readAsk(task.body) }
      case 'model':
        return { kind: 'model', body: withModel(task.body, task.model) }
      case 'ask': {
        // This signal never fires: work is cancelled from outside, by ending the whole thread.
        const context = { signal: new AbortController().signal, span: noSpan }
        const opened = await engine()
        const outcome = E.isLeft(opened)
          ? { result: opened }
          : await answerAsk(opened.right, readOnThisThread)(task.body, context)
        return { kind: 'ask', outcome }
      }
    }
  }
}

/** Reads and checks a request document on the calling thread. */
export const readOnThisThread: ReadAsk = async (body) => readAsk(body)
