import { setMaxListeners } from 'node:events'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as O from 'fp-ts/Option'
import * as TE from 'fp-ts/TaskEither'
import { workQueue } from '../../../runtime/work-queue'
import { badAnswer, type EngineAnswer, type EngineContext, type EngineFailure } from '../engine'
import type { Completion } from './completion'
import type { Connection } from './connection'
import { engineFailure } from './failures'

/** The calls to the engine that one request makes. */
export interface Calls {
  /** Makes a call when its turn comes; `body` is built only then, to save memory. */
  readonly send: (body: () => ReadonlyArray<Uint8Array>) => TE.TaskEither<EngineFailure, Completion>
  /** Cancels the calls in progress and starts no further ones. */
  readonly stop: () => void
  /** The tokens of all calls so far; null where the engine reported none. D41 */
  readonly usage: () => EngineAnswer['usage']
}

/**
 * Prepares the calls of one request: at most `concurrency` run at once, and all end when the request does. D40
 */
export const startCalls = (
  connection: Connection,
  concurrency: number,
  { signal, span }: EngineContext,
): Calls => {
  const queue = workQueue(concurrency, Number.POSITIVE_INFINITY)
  const end = new AbortController()
  const stop = (): void => end.abort()
  // There is one listener per waiting or running call. Node 20 warns on stderr about more than ten, taking them
  // for a leak.
  setMaxListeners(0, end.signal)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  let input: number | null = null
  let output: number | null = null

  const call = (body: () => ReadonlyArray<Uint8Array>): TE.TaskEither<EngineFailure, Completion> =>
    pipe(
      TE.fromIO(body),
      TE.chain((bytes) => connection.complete(bytes, { signal: end.signal, span })),
      TE.bimap(
        ({ failure, retryAfterMs }) => engineFailure(failure, retryAfterMs),
        (completion) => {
          input = plus(input, completion.input)
          output = plus(output, completion.output)
          return completion
        },
      ),
    )

  return {
    send: (body) => async () =>
      pipe(
        await queue.run(end.signal, call(body)),
        O.getOrElse(() => E.left(cancelled)),
      ),
    stop,
    usage: () => ({ input_tokens: input, output_tokens: output }),
  }
}

const cancelled = badAnswer('the call to the engine was cancelled')

const plus = (sum: number | null, more: number | null): number | null =>
  more === null ? sum : (sum ?? 0) + more
