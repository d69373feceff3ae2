import type { Worker } from 'node:worker_threads'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as O from 'fp-ts/Option'
import { workQueue } from '../../runtime/work-queue'

/**
 * Why a task has no result: it was cancelled, or its worker died. `cause` names the kind of error, but not its
 * message, which could quote the request.
 */
export interface Lost {
  readonly cause: string
}

/**
 * Worker threads that each do one task at a time. A task is a message to the worker, and its result is the next
 * message back: plain values, which the structured clone algorithm copies.
 */
export interface Pool<Task, Result> {
  /**
   * Runs a task as soon as a worker is free; holders take turns. `task` is called only then. When `signal`
   * fires, the worker is ended in the middle of the task and another takes its place. Never rejects.
   */
  readonly run: (
    task: () => Task,
    signal: AbortSignal,
    holder?: string,
  ) => Promise<E.Either<Lost, Result>>
  /** Ends all workers, also those in the middle of a task. */
  readonly close: () => Promise<void>
}

/**
 * Creates a pool of at most `size` workers. Each is started when there is a task and no other worker is free.
 * `moved` lists the memory of a task that is transferred to the worker instead of copied. D69
 */
export const workerPool = <Task, Result>(
  size: number,
  start: () => Worker,
  moved: (task: Task) => ReadonlyArray<ArrayBuffer>,
): Pool<Task, Result> => {
  const queue = workQueue(size, Number.POSITIVE_INFINITY)
  const all = new Set<Worker>()
  const free = new Set<Worker>()

  const started = (): Worker => {
    const worker = start()
    all.add(worker)
    // Without an error listener, a worker that dies while idle would end the service.
    worker.on('error', () => undefined)
    worker.on('exit', () => {
      all.delete(worker)
      free.delete(worker)
    })
    return worker
  }

  /** Puts a worker back among the free ones. Free workers do not keep the process alive. */
  const released = (worker: Worker): void => {
    worker.unref()
    free.add(worker)
  }

  const taken = (): Worker => {
    const [worker = started()] = free
    free.delete(worker)
    worker.ref()
    return worker
  }

  const work = (task: () => Task, signal: AbortSignal): Promise<E.Either<Lost, Result>> =>
    new Promise((resolve) => {
      const worker = taken()
      const settle = (result: E.Either<Lost, Result>): void => {
        worker.off('message', done).off('error', failed).off('exit', gone)
        signal.removeEventListener('abort', end)
        resolve(result)
      }
      const done = (result: Result): void => {
        released(worker)
        settle(E.right(result))
      }
      const failed = ({ name, code = name }: NodeJS.ErrnoException): void =>
        settle(E.left({ cause: `the worker ended by ${code}` }))
      const gone = (): void => settle(E.left({ cause: 'the worker ended' }))
      const end = (): void => {
        void worker.terminate()
        // Starts the replacement now, so that the next task need not wait for it.
        released(started())
        settle(ended)
      }
      worker.on('message', done).on('error', failed).on('exit', gone)
      signal.addEventListener('abort', end, { once: true })
      const sent = task()
      worker.postMessage(sent, moved(sent))
    })

  return {
    run: async (task, signal, holder) =>
      pipe(
        await queue.run(signal, () => work(task, signal), holder),
        O.getOrElse((): E.Either<Lost, Result> => ended),
      ),
    close: async () => {
      await Promise.all([...all].map((worker) => worker.terminate()))
    },
  }
}

const ended: E.Either<Lost, never> = E.left({ cause: 'the work was ended' })
