import * as E from 'fp-ts/Either'
import * as O from 'fp-ts/Option'
import type * as TE from 'fp-ts/TaskEither'
import type { Clock } from '../../runtime/runtime'
import type { Span } from '../../runtime/tracer'
import type { WorkQueue } from '../../runtime/work-queue'
import type { EngineContext } from '../contract/engine'
import { callerLeft, engineFailed, isNoAnswer, type Problem } from '../contract/problem'
import type { Metrics } from '../observe/metrics'
import type { Readiness } from '../observe/readiness'
import type { KeyHolder } from './keys'
import type { TakeTurn } from './turns'

/** The request for which the engine is called. */
interface Asker {
  readonly span: Span
  /** Holders of keys take turns in the queue. */
  readonly holder?: KeyHolder | undefined
  /** Aborted, with the problem to answer with, when the last caller has stopped waiting. */
  readonly end: AbortController
}

/** Calls the engine. Never rejects. */
export type CallEngine = <A extends object>(
  asker: Asker,
  ask: (context: EngineContext) => TE.TaskEither<Problem, A>,
) => Promise<E.Either<Problem, A>>

/** The services that a call to the engine uses. */
interface CallServices {
  /** The engine's name in the metrics. */
  readonly engineName: string
  /** Limits how many calls run at once. Further calls wait in it. */
  readonly queue: WorkQueue
  /** Lets computations take turns. */
  readonly takeTurn: TakeTurn
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'recordEngineCall'>
  readonly readiness: Pick<Readiness, 'noteCall'>
}

/**
 * Creates the function that calls the engine. A call waits for its turn in the queue. It ends as soon as `end` is
 * aborted, even if the engine does not react to the signal.
 */
export const createCallEngine =
  ({ engineName, queue, takeTurn, clock, metrics, readiness }: CallServices): CallEngine =>
  async ({ span, holder, end }, ask) => {
    const started = clock.monotonic()
    const { signal } = end
    const id = holder?.id
    const context = { signal, holder: id, span, compute: takeTurn({ signal, holder: id }) }
    const begin = () => untilAborted(signal, catchDefects(ask(context)))
    const called = await queue.run(signal, begin, id)
    const result = O.isSome(called) ? called.value : E.left(endOf(signal))
    const callerHasLeft = signal.aborted && endOf(signal) === callerLeft
    if (O.isSome(called) && !callerHasLeft) noteOutcome(result, readiness)
    const outcome = E.isRight(result) ? 'answered' : result.left.type
    metrics.recordEngineCall(engineName, outcome, (clock.monotonic() - started) / 1000)
    return result
  }

/** The problem with which a call was ended. */
const endOf = ({ reason }: AbortSignal): Problem => reason as Problem

/**
 * An engine should return its failures. One that throws has a defect: its caller only learns that it failed, and the
 * log has the kind of exception, since an exception's message may quote the request.
 */
const catchDefects = async <A>(work: TE.TaskEither<Problem, A>): Promise<E.Either<Problem, A>> => {
  try {
    return await work()
  } catch (error) {
    const kind = error instanceof Error ? error.name : 'unknown'
    return E.left(engineFailed('The engine failed.', `defect: ${kind}`))
  }
}

/** Notes for `/readyz` if the engine answered. A refused request does not change its readiness. */
const noteOutcome = (
  result: E.Either<Problem, { readonly cause?: string }>,
  { noteCall }: Pick<Readiness, 'noteCall'>,
): void => {
  if (E.isRight(result)) noteCall(result.right.cause === undefined)
  else if (isNoAnswer(result.left)) noteCall(false)
}

/** Resolves to the answer, or to the problem as soon as `signal` fires. */
const untilAborted = <A>(
  signal: AbortSignal,
  answer: Promise<E.Either<Problem, A>>,
): Promise<E.Either<Problem, A>> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(E.left(endOf(signal))), { once: true })
    void answer.then(resolve)
  })
