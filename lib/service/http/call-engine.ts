import { setImmediate as nextEventLoopTurn } from 'node:timers/promises'
import * as E from 'fp-ts/Either'
import * as O from 'fp-ts/Option'
import type * as TE from 'fp-ts/TaskEither'
import type { Clock } from '../../runtime/runtime'
import type { Span } from '../../runtime/tracer'
import { createWorkQueue, type WorkQueue } from '../../runtime/work-queue'
import type { Engine, EngineContext } from '../contract/engine'
import {
  callerDisconnected,
  engineFailed,
  engineTooSlow,
  isEngineFailure,
  type Problem,
} from '../contract/problem'
import type { KeyHolder } from '../keys/keys'
import type { Metrics } from '../observe/metrics'
import type { Readiness } from '../observe/readiness'

/** The part of a request that a call to the engine needs. */
interface EngineCaller {
  readonly span: Span
  /** The caller with this API key. The queue serves the holders of keys in turn. */
  readonly holder?: KeyHolder | undefined
  /** Aborted, with the problem to answer with, if the caller disconnects. */
  readonly abortController: AbortController
}

/** Calls the engine. Never rejects. */
export type CallEngine = <A extends object>(
  caller: EngineCaller,
  ask: (context: EngineContext) => TE.TaskEither<Problem, A>,
) => Promise<E.Either<Problem, A>>

/** The parts of the service that a call to the engine uses. */
interface EngineCallServices {
  readonly engine: Engine
  /** Limits the number of concurrent calls. Further calls wait in it. */
  readonly queue: WorkQueue
  /** The maximum time for an answer in milliseconds, including the wait in the queue. */
  readonly answerTimeoutMs: number
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'recordEngineCall'>
  readonly readiness: Pick<Readiness, 'recordCall'>
}

/**
 * Creates the function that calls the engine when the request's turn comes. The call ends with a 504 after `answerTimeoutMs`,
 * and with `callerDisconnected` if the caller disconnects, even if the engine ignores the signal.
 */
export const createCallEngine = (services: EngineCallServices): CallEngine => {
  const { engine, queue, answerTimeoutMs, clock, metrics, readiness } = services
  const computeQueue = createComputeQueue()
  const timedOut = engineTooSlow(
    'The engine did not answer in time.',
    `no answer within ${answerTimeoutMs} ms, waiting in line included`,
  )
  return async ({ span, holder, abortController }, ask) => {
    const startedAt = clock.monotonic()
    const { signal } = abortController
    const holderId = holder?.id
    const compute = computeQueue.forRequest(signal, holderId)
    const context: EngineContext = { signal, holderId, span, compute }
    const stopTimer = clock.timer(answerTimeoutMs, () => abortController.abort(timedOut))
    const askNow = () => untilAborted(signal, catchDefects(ask(context)))
    // None if the request is aborted before its turn.
    const engineResult = await queue.run(signal, askNow, holderId)
    stopTimer()
    const result = O.isSome(engineResult) ? engineResult.value : E.left(getAbortReason(signal))
    // A call that never began says nothing about the engine.
    if (O.isSome(engineResult)) updateReadiness(result, readiness)
    const outcome = E.isRight(result) ? 'answered' : result.left.type
    metrics.recordEngineCall(engine.name, outcome, (clock.monotonic() - startedAt) / 1000)
    return result
  }
}

/** A queue for computations on the event loop. */
interface ComputeQueue {
  /** Returns the function `compute` of one request. A computation fails if `signal` is aborted before its turn. */
  readonly forRequest: (signal: AbortSignal, holderId?: string) => EngineContext['compute']
}

/**
 * Creates the queue for computations on the event loop. They run one at a time, and holders of keys take turns. Between two
 * computations the event loop handles other events, so `/healthz` waits for at most one computation.
 */
export const createComputeQueue = (): ComputeQueue => {
  const queue = createWorkQueue(1, Number.POSITIVE_INFINITY)
  return {
    forRequest: (signal, holderId) => (work) => async () => {
      const computeNext = async () => {
        // In this turn the event loop also notices callers that have disconnected.
        await nextEventLoopTurn()
        return signal.aborted ? O.none : O.some(work())
      }
      const computeResult = O.flatten(await queue.run(signal, computeNext, holderId))
      // None if `signal` is aborted first. `callEngine` then returns the reason for the abort instead of this problem.
      return O.isSome(computeResult) ? E.right(computeResult.value) : E.left(callerDisconnected)
    },
  }
}

/** Returns the problem with which a request was aborted. Every abort of a request passes one. */
const getAbortReason = ({ reason }: AbortSignal): Problem => reason as Problem

/**
 * Turns an exception, which is a defect of the engine, into a problem. The log gets the exception's name without its message,
 * because the message may quote the request.
 */
const catchDefects = async <A>(work: TE.TaskEither<Problem, A>): Promise<E.Either<Problem, A>> => {
  try {
    return await work()
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown'
    return E.left(engineFailed('The engine failed.', `defect: ${name}`))
  }
}

/**
 * Updates the readiness after a call: an answer makes the service ready, an engine failure unready. A refusal changes nothing, nor does
 * a caller that has disconnected.
 */
const updateReadiness = (
  result: E.Either<Problem, { readonly cause?: string }>,
  { recordCall }: Pick<Readiness, 'recordCall'>,
): void => {
  if (E.isRight(result)) recordCall(result.right.cause === undefined)
  else if (isEngineFailure(result.left)) recordCall(false)
}

/** Resolves to the answer, or to the abort reason as soon as `signal` is aborted. */
const untilAborted = <A>(
  signal: AbortSignal,
  answer: Promise<E.Either<Problem, A>>,
): Promise<E.Either<Problem, A>> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(E.left(getAbortReason(signal))), { once: true })
    void answer.then(resolve)
  })
