import * as E from 'fp-ts/Either'
import * as O from 'fp-ts/Option'
import type * as TE from 'fp-ts/TaskEither'
import type { Clock } from '../../runtime/runtime'
import type { WorkQueue } from '../../runtime/work-queue'
import type { Span } from '../../tracing/trace'
import type { EngineContext } from '../contract/engine'
import {
  atCapacity,
  callerLeft,
  engineFailed,
  engineTooSlow,
  isNoAnswer,
  type Problem,
} from '../contract/problem'
import type { Metrics } from '../observe/metrics'
import type { Readiness } from '../observe/readiness'
import type { HeldBytes } from './held-bytes'
import type { TakeTurn } from './turns'

/** The request for which the engine is called. */
interface Asker {
  readonly span: Span
  /** Identifies the API key of the request. Holders take turns in the queue. */
  readonly holder?: string | undefined
  /** Aborted from outside when nobody waits for the answer any more, and here when the time for it is up. */
  readonly end: AbortController
}

/** Calls the engine. Never rejects. */
export type CallEngine = <A extends object>(
  asker: Asker,
  ask: (context: EngineContext) => TE.TaskEither<Problem, A>,
) => Promise<E.Either<Problem, A>>

/** What a call to the engine needs besides the request. */
interface Surroundings {
  /** The engine's name in the metrics. */
  readonly engineName: string
  /** Limits how many calls run at once; the others wait in it. */
  readonly queue: WorkQueue
  /** Lets what computes take turns. */
  readonly takeTurn: TakeTurn
  /** Counts what engines answer until it is passed on. */
  readonly held: HeldBytes
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'recordEngineCall'>
  /** The most time for an answer, in milliseconds, including the wait in the queue. */
  readonly answerMs: number
  /** Is told after each call that reached the engine whether it answered. */
  readonly noteCall: Readiness['noteCall']
}

const queueFull: Problem = atCapacity('The service is at its limit. Try again later.')

/**
 * Creates the function that calls the engine. A call waits for its turn in the queue, and ends after `answerMs`
 * whatever the engine does: an engine that neither answers nor reacts to the signal is no longer waited for.
 * D37
 */
export const engineCaller = ({
  engineName,
  queue,
  takeTurn,
  held,
  clock,
  metrics,
  answerMs,
  noteCall,
}: Surroundings): CallEngine => {
  const tooSlow: Problem = engineTooSlow(
    'The engine did not answer in time.',
    `no answer within ${answerMs} ms, waiting in line included`,
  )
  return async ({ span, holder, end }, ask) => {
    const started = clock.monotonic()
    const { signal } = end
    let late = false
    const stopTimer = clock.timer(answerMs, () => {
      late = true
      end.abort()
    })
    const whyEnded = () => (late ? tooSlow : callerLeft)
    let heldHere = 0
    let settled = false
    const hold = (bytes: number): boolean => {
      // An engine that reads on after its call has ended would count for ever.
      if (settled || !held.hasRoom(bytes)) return false
      heldHere += bytes
      held.add(bytes)
      return true
    }
    const context = { signal, holder, span, compute: takeTurn({ signal, holder }), hold }
    const begin = () => unlessAborted(signal, catchDefects(ask(context)), whyEnded)
    const called = await queue.run(signal, begin, holder)
    stopTimer()
    settled = true
    held.release(heldHere)
    const result = O.isSome(called) ? called.value : E.left(signal.aborted ? whyEnded() : queueFull)
    if (O.isSome(called) && (late || !signal.aborted)) noteOutcome(result, noteCall)
    const outcome = E.isRight(result) ? 'answered' : result.left.type
    metrics.recordEngineCall(engineName, outcome, (clock.monotonic() - started) / 1000)
    return result
  }
}

/**
 * An engine should return its failures. One that throws has a defect: its caller only learns that it failed, and the
 * log has the kind of exception, since an exception's message may quote the request. D76
 */
const catchDefects = async <A>(work: TE.TaskEither<Problem, A>): Promise<E.Either<Problem, A>> => {
  try {
    return await work()
  } catch (error) {
    const kind = error instanceof Error ? error.name : 'unknown'
    return E.left(engineFailed('The engine failed.', `defect: ${kind}`))
  }
}

/** Tells `noteCall` how the engine did. A request that was refused says nothing about the engine. */
const noteOutcome = (
  result: E.Either<Problem, { readonly cause?: string }>,
  noteCall: Readiness['noteCall'],
): void => {
  if (E.isRight(result)) noteCall(result.right.cause === undefined)
  else if (isNoAnswer(result.left)) noteCall(false)
}

/** Resolves to the answer, or to the problem as soon as `signal` fires, whichever comes first. */
const unlessAborted = <A>(
  signal: AbortSignal,
  answer: Promise<E.Either<Problem, A>>,
  problem: () => Problem,
): Promise<E.Either<Problem, A>> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(E.left(problem())), { once: true })
    void answer.then(resolve)
  })
