/**
 * The main file of a worker thread. It reads and answers large requests, so that the thread that accepts
 * connections never has to. D69
 */
import { getPriority, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import * as E from 'fp-ts/Either'
import type { Done, Task } from './messages'
import { performTask } from './perform-task'
import { owned } from './transfer'

/**
 * Lowers the priority of this thread, so that its work never takes the processor from the thread that accepts
 * connections. Only on Linux do threads have priorities of their own; elsewhere this would affect the whole
 * process.
 */
if (platform() === 'linux') setPriority(Math.min(19, getPriority() + 10))

const open = async () => (await import('../engines/lexical/engine')).lexicalEngine()

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

parentPort?.on('message', async (task: Task) => send(await performTask(task, open), task))
