import * as E from 'fp-ts/Either'
import * as O from 'fp-ts/Option'
import type * as TE from 'fp-ts/TaskEither'
import type { Clock } from '../../runtime/runtime'
import type { Span } from '../../runtime/trace'
import type { WorkQueue } from '../../runtime/work-queue'
import type { Metrics } from '../observe/metrics'
import {
  atCapacity,
  callerLeft,
  engineFailed,
  engineRefusedKey,
  engineTooSlow,
  maxTokensExceeded,
  type Problem,
  unsupportedType,
} from '../problem'
import type { Readiness } from '../readiness'
import type { EngineContext, EngineFailure } from './engine'

/** On whose behalf the engine is asked. */
interface Asker {
  readonly span: Span
  /** Whose key the request has. */
  readonly holder?: string | undefined
  /** Aborted when nobody waits for the answer any more, and by this module when the time for it is up. */
  readonly end: AbortController
}

/** Asks the engine and tells why there is no answer. Never rejects. */
export type CallEngine = <A extends object>(
  asker: Asker,
  ask: (context: EngineContext) => TE.TaskEither<EngineFailure | Problem, A>,
) => Promise<E.Either<Problem, A>>

/** What a call to the engine needs besides the request. */
export interface Surroundings {
  /** For the metrics. */
  readonly engineName: string
  /** Where calls wait for their turn. */
  readonly queue: WorkQueue
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'engineFinished'>
  /** The most time for an answer, waiting in line included, in milliseconds. */
  readonly answerMs: number
  /** Told of each call that the engine answered, or should have. */
  readonly called: Readiness['called']
}

/** What a caller is told to wait when the line is full, in milliseconds. */
const retryMs = 1000

const queueFull: Problem = atCapacity('The service is at its limit. Try again later.', retryMs)
const failed: Problem = engineFailed('The engine failed.')

/**
 * Calls to the engine wait for their turn and settle in time whatever the engine does: one that
 * neither answers nor heeds the signal is left behind. D37
 */
export const engineCaller = ({
  engineName,
  queue,
  clock,
  metrics,
  answerMs,
  called,
}: Surroundings): CallEngine => {
  const cause = `no answer within ${answerMs} ms, waiting in line included`
  const tooSlow: Problem = {
    ...engineTooSlow('The engine did not answer in time.'),
    ...{ cause, ownCause: true },
  }
  return async (asker, ask) => {
    const started = clock.monotonic()
    const { signal } = asker.end
    let late = false
    const stopTimer = clock.timer(answerMs, () => {
      late = true
      asker.end.abort()
    })
    const { span, holder } = asker
    const context = { signal, span, holder }
    const ended = () => (late ? tooSlow : callerLeft)
    const answered = await queue.run(
      signal,
      () => unlessAborted(signal, settled(ask(context)), ended),
      holder,
    )
    stopTimer()
    const notBegun = signal.aborted ? ended() : queueFull
    const result = O.isSome(answered) ? answered.value : E.left(notBegun)
    if (O.isSome(answered) && (late || !signal.aborted)) noteCall(result, called)
    const outcome = E.isRight(result) ? 'answered' : result.left.type
    metrics.engineFinished(engineName, outcome, (clock.monotonic() - started) / 1000)
    return result
  }
}

/** What was refused before the engine was asked says nothing about it; a problem of the engine's own does. */
const noteCall = (
  result: E.Either<Problem, { readonly cause?: string }>,
  called: Readiness['called'],
): void => {
  if (E.isRight(result)) called(result.right.cause === undefined)
  else if (result.left.status === 502 || result.left.status === 504) called(false)
}

/** The answer, or a problem as soon as `signal` fires, whichever comes first. */
const unlessAborted = <A>(
  signal: AbortSignal,
  answer: Promise<E.Either<Problem, A>>,
  problem: () => Problem,
): Promise<E.Either<Problem, A>> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(E.left(problem())), { once: true })
    void answer.then(resolve)
  })

/**
 * Engines do not throw. One that does has a defect: the log gets the cause, the caller only learns that it
 * failed.
 */
const settled = async <A>(
  run: TE.TaskEither<EngineFailure | Problem, A>,
): Promise<E.Either<Problem, A>> => {
  try {
    const result = await run()
    return E.isRight(result) ? result : E.left(engineProblem(result.left))
  } catch (error) {
    const cause = `defect: ${error instanceof Error ? error.message : 'unknown'}`
    return E.left({ ...failed, cause })
  }
}

/** What the caller and the log are told of an engine's failure; a problem with the request goes through. D37, D76 */
const engineProblem = (failure: EngineFailure | Problem): Problem => {
  if ('status' in failure) return failure
  const problem = toldProblem(failure)
  return failure.cause === undefined ? problem : { ...problem, cause: failure.cause }
}

const toldProblem = (failure: EngineFailure): Problem => {
  switch (failure._tag) {
    case 'BadAnswer':
      return engineFailed(failure.message)
    case 'KeyRefused':
      return engineRefusedKey(failure.message)
    case 'TimedOut':
      return engineTooSlow(failure.message)
    case 'Overloaded':
      return atCapacity(failure.message, failure.retryAfterMs ?? retryMs)
    case 'Unsupported':
      return unsupportedType(failure.message)
    case 'TooLong':
      return maxTokensExceeded(failure.message)
  }
}
