import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { causeAndHost } from '../../../failure/message'
import { badAnswer, type EngineAnswer, type EngineContext, type EngineFailure } from '../engine'
import type { Completion } from './completion'
import type { Connection } from './connection'
import { engineFailure } from './failures'
import { limiter } from './limiter'

/** The calls of one request. */
export interface Calls {
  /** Makes one call when there is room for it; `body` is built only then. */
  readonly send: (body: () => Uint8Array) => TE.TaskEither<EngineFailure, Completion>
  /** Notes a failure: calls under way are cancelled and no further one starts. Returns it. */
  readonly failed: (failure: EngineFailure) => EngineFailure
  /** The failure that came first; those after it follow from it. */
  readonly firstFailure: () => EngineFailure | undefined
  /** Sums of what the engine reported; null where it reported nothing. D41 */
  readonly usage: () => EngineAnswer['usage']
}

/** At most `concurrency` calls at once, all of which end with the request. D40 */
export const startCalls = (
  connection: Connection,
  concurrency: number,
  { signal, span, log }: EngineContext,
): Calls => {
  const limit = limiter(concurrency)
  const stop = new AbortController()
  const cancel = (): void => stop.abort()
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  let first: EngineFailure | undefined
  let input: number | null = null
  let output: number | null = null
  return {
    send: (body) => () =>
      limit(async () => {
        if (stop.signal.aborted) return E.left(cancelled)
        const outcome = await connection.complete(body(), { signal: stop.signal, span })()
        if (E.isLeft(outcome)) {
          const { failure, retryAfterMs } = outcome.left
          if (failure._tag === 'Connection')
            log('engine call failed', { cause: causeAndHost(failure) })
          return E.left(engineFailure(failure, retryAfterMs))
        }
        input = plus(input, outcome.right.input)
        output = plus(output, outcome.right.output)
        return outcome
      }),
    failed: (failure) => {
      first ??= failure
      stop.abort()
      return failure
    },
    firstFailure: () => first,
    usage: () => ({ input_tokens: input, output_tokens: output }),
  }
}

const cancelled = badAnswer('the call to the engine was cancelled')

const plus = (sum: number | null, more: number | null): number | null =>
  more === null ? sum : (sum ?? 0) + more
