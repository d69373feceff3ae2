/**
 * The main file of a worker thread. It reads and answers large requests, so that the thread that accepts
 * connections never has to. `workerData` names its engine. D69
 */
import { getPriority, platform, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import * as E from 'fp-ts/Either'
import { badAnswer } from '../engines/engine'
import type { Done, Task, WorkerEngine } from './messages'
import { type OpenEngine, performer } from './perform-task'
import { owned } from './transfer'

const { name }: WorkerEngine = workerData

/**
 * Lowers the priority of this thread, so that its work never takes the processor from the thread that accepts
 * connections. Only on Linux do threads have priorities of their own; elsewhere this would affect the whole
 * process.
 */
if (platform() === 'linux') setPriority(Math.min(19, getPriority() + 10))

const open: OpenEngine = async () => {
  switch (name) {
    case 'lexical': {
      const { lexicalEngine } = await import('../engines/lexical/engine')
      return E.right(lexicalEngine())
    }
    case 'none':
      return E.left(badAnswer('there is no engine in this worker'))
  }
}

/** Sends a result. The memory of large results is transferred instead of copied. */
const send = (done: Done, task: Task): void => {
  if (done.kind === 'read' && task.kind === 'read' && E.isRight(done.result)) {
    parentPort?.postMessage(done, [task.body.buffer])
  } else if (done.kind === 'ask' && E.isRight(done.outcome.result)) {
    const response = done.outcome.result.right
    const body = owned(response.body)
    const result = E.right({ ...response, body })
    parentPort?.postMessage({ ...done, outcome: { ...done.outcome, result } }, [body.buffer])
  } else if (done.kind === 'model') {
    const body = owned(done.body)
    parentPort?.postMessage({ ...done, body }, [body.buffer])
  } else parentPort?.postMessage(done)
}

const perform = performer(open)
parentPort?.on('message', async (task: Task) => send(await perform(task), task))
