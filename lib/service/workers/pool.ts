import type { Worker } from 'node:worker_threads'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as O from 'fp-ts/Option'
import { workQueue } from '../../runtime/work-queue'

/** Why a piece of work has no result: it was ended, or its worker died, of which `cause` tells. */
export interface Lost {
  readonly cause: string
}

/**
 * Worker threads that do one piece of work each at a time. A piece is a message to the worker, and its result the next
 * message that comes back: plain values, of which the structured clone algorithm makes copies.
 */
export interface Pool<Task, Result> {
  /**
   * Does a piece of work when a worker is free, for one holder after the other; it is put together only then. When `signal` fires, the worker that has the work is ended in the middle
   * of it, and another takes its place. Never rejects.
   */
  readonly run: (
    task: () => Task,
    signal: AbortSignal,
    holder?: string,
  ) => Promise<E.Either<Lost, Result>>
  /** Ends all workers. */
  readonly close: () => Promise<void>
}

/** At most `size` workers, each started by `start` when there is work that no other is free for. D69 */
export const workerPool = <Task, Result>(size: number, start: () => Worker): Pool<Task, Result> => {
  const queue = workQueue(size, Number.POSITIVE_INFINITY)
  const all = new Set<Worker>()
  const free = new Set<Worker>()

  const started = (): Worker => {
    const worker = start()
    all.add(worker)
    // Without a listener for errors, a worker that dies while it has no work would end the service.
    worker.on('error', () => undefined)
    worker.on('exit', () => {
      all.delete(worker)
      free.delete(worker)
    })
    return worker
  }

  /** Threads without work do not keep the process alive. */
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
      const failed = ({ message }: Error): void => settle(E.left({ cause: message }))
      const gone = (): void => settle(E.left({ cause: 'the worker ended' }))
      const end = (): void => {
        void worker.terminate()
        // The next piece of work need not wait until its worker has started.
        released(started())
        settle(ended)
      }
      worker.on('message', done).on('error', failed).on('exit', gone)
      signal.addEventListener('abort', end, { once: true })
      worker.postMessage(task())
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
