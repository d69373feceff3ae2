import { noSpan } from '../../telemetry/trace'
import type { AnsweringEngine } from '../contract/engine'
import { withModel } from '../engines/upstream/with-model'
import { answerAsk, type ReadAsk } from '../http/answer-ask'
import { readAsk } from '../http/read-ask'
import type { Done, Task } from './messages'

/** Does a worker's task; `open` is for a task that needs an engine. A rejection is a defect and ends the worker. */
export const performTask = async (
  task: Task,
  open: () => Promise<AnsweringEngine>,
): Promise<Done> => {
  switch (task.kind) {
    case 'read':
      return { kind: 'read', result: readAsk(task.body) }
    case 'model':
      return { kind: 'model', body: withModel(task.body, task.model) }
    case 'ask': {
      // This signal never fires: work is cancelled from outside, by ending the whole thread.
      const context = { signal: new AbortController().signal, span: noSpan }
      const outcome = await answerAsk(await open(), readOnThisThread)(task.body, context)
      return { kind: 'ask', outcome }
    }
  }
}

/** Reads and checks a request document on the calling thread. */
export const readOnThisThread: ReadAsk = async (body) => readAsk(body)
