import * as E from 'fp-ts/Either'
import * as O from 'fp-ts/Option'
import type * as TE from 'fp-ts/TaskEither'
import type { Clock } from '../../runtime/runtime'
import type { WorkQueue } from '../../runtime/work-queue'
import type { Span } from '../../telemetry/trace'
import type { EngineContext } from '../contract/engine'
import {
  atCapacity,
  callerLeft,
  engineTooSlow,
  isNoAnswer,
  type Problem,
} from '../contract/problem'
import type { Metrics } from '../observe/metrics'
import type { Readiness } from '../observe/readiness'

/** The request for which the engine is asked. */
interface Asker {
  readonly span: Span
  /** Identifies the API key of the request. Holders take turns in the queue. */
  readonly holder?: string | undefined
  /** Aborted from outside when nobody waits for the answer any more, and here when the time for it is up. */
  readonly end: AbortController
}

/** Asks the engine. What is quick neither waits in the queue nor has a time limit. Rejects only as `ask` does. */
export type CallEngine = <A extends object>(
  asker: Asker,
  ask: (context: EngineContext) => TE.TaskEither<Problem, A>,
  isQuick?: boolean,
) => Promise<E.Either<Problem, A>>

/** What a call to the engine needs besides the request. */
interface Surroundings {
  /** The engine's name in the metrics. */
  readonly engineName: string
  /** Limits how many calls run at once; the others wait in it. */
  readonly queue: WorkQueue
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'engineFinished'>
  /** The most time for an answer, in milliseconds, including the wait in the queue. */
  readonly answerMs: number
  /** Called after each call that reached the engine and was not quick, with whether it answered. */
  readonly called: Readiness['called']
}

/** The signal of quick calls, which end before anybody could stop them. */
const neverAborted = new AbortController().signal

const queueFull: Problem = atCapacity('The service is at its limit. Try again later.')

/**
 * Creates the function that calls the engine. A call waits for its turn in the queue, and ends after `answerMs`
 * whatever the engine does: an engine that neither answers nor reacts to the signal is no longer waited for.
 * D37
 */
export const engineCaller = ({
  engineName,
  queue,
  clock,
  metrics,
  answerMs,
  called,
}: Surroundings): CallEngine => {
  const tooSlow: Problem = engineTooSlow(
    'The engine did not answer in time.',
    `no answer within ${answerMs} ms, waiting in line included`,
  )
  const inQueue = async <A extends object>(
    { end, holder }: Asker,
    answer: (signal: AbortSignal) => Promise<E.Either<Problem, A>>,
  ): Promise<E.Either<Problem, A>> => {
    const { signal } = end
    let late = false
    const stopTimer = clock.timer(answerMs, () => {
      late = true
      end.abort()
    })
    const ended = () => (late ? tooSlow : callerLeft)
    const begin = () => unlessAborted(signal, answer(signal), ended)
    const answered = await queue.run(signal, begin, holder)
    stopTimer()
    if (O.isNone(answered)) return E.left(signal.aborted ? ended() : queueFull)
    if (late || !signal.aborted) noteCall(answered.value, called)
    return answered.value
  }
  return async (asker, ask, isQuick = false) => {
    const started = clock.monotonic()
    const { span, holder } = asker
    const answer = (signal: AbortSignal) => ask({ signal, span, holder })()
    const result = isQuick ? await answer(neverAborted) : await inQueue(asker, answer)
    const outcome = E.isRight(result) ? 'answered' : result.left.type
    metrics.engineFinished(engineName, outcome, (clock.monotonic() - started) / 1000)
    return result
  }
}

/** Tells `called` how the engine did. A request that was refused says nothing about the engine. */
const noteCall = (
  result: E.Either<Problem, { readonly cause?: string }>,
  called: Readiness['called'],
): void => {
  if (E.isRight(result)) called(result.right.cause === undefined)
  else if (isNoAnswer(result.left)) called(false)
}

/** Resolves to the answer, or to the problem as soon as `signal` fires, whichever comes first. */
const unlessAborted = <A>(
  signal: AbortSignal,
  answer: Promise<E.Either<Problem, A>>,
  problem: () => Problem,
): Promise<E.Either<Problem, A>> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(E.left(problem())), { once: true })
    answer.then(resolve, reject)
  })
