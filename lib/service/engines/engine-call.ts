import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import type { Clock } from '../../runtime/runtime'
import type { Call } from '../http/call'
import type { Gate } from '../limits/gate'
import type { Metrics } from '../observe/metrics'
import {
  atCapacity,
  engineFailed,
  engineRefusedKey,
  engineTooSlow,
  type Problem,
  unsupportedType,
} from '../problem'
import type { EngineContext, EngineFailure } from './engine'

/** What a call to the engine needs. */
export interface EngineDoor {
  readonly engineName: string
  readonly gate: Gate
  readonly clock: Clock
  readonly metrics: Metrics
  /** The most time for an answer, waiting in line included, in milliseconds. */
  readonly answerMs: number
  readonly log: EngineContext['log']
}

/** What a caller is told to wait when the line is full. */
const retryMs = 1000

/** A failed engine as the caller is told. D37 */
const engineProblem = (failure: EngineFailure): Problem => {
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
  }
}

const queueFull: Problem = atCapacity('The service is at its limit. Try again later.', retryMs)
const tooSlow: Problem = engineTooSlow('The engine did not answer in time.')
const failed: Problem = engineFailed('The engine failed.')

/**
 * Waits for room, asks the engine and settles in time whatever the engine does: an engine that
 * neither answers nor heeds the signal is left behind. D37
 */
export const callEngine = async <A>(
  door: EngineDoor,
  call: Call,
  ask: (context: EngineContext) => TE.TaskEither<EngineFailure, A>,
): Promise<E.Either<Problem, A>> => {
  const started = door.clock.monotonic()
  let late = false
  const cancelTimer = door.clock.timer(door.answerMs, () => {
    late = true
    call.end.cancel()
  })
  let result: E.Either<Problem, A>
  const entered = door.gate.enter(call.end)
  if (entered === true || (await entered)) {
    result = await orLate(call, answer(door, ask(new CallContext(door.log, call))), () => late)
    door.gate.leave()
  } else {
    result = E.left(late ? tooSlow : queueFull)
  }
  cancelTimer()
  const seconds = (door.clock.monotonic() - started) / 1000
  const outcome = E.isRight(result) ? 'answered' : result.left.type
  door.metrics.engineFinished(door.engineName, outcome, seconds)
  return result
}

/** A class, so that the signal is made only where an engine asks for it. */
class CallContext implements EngineContext {
  readonly span: EngineContext['span']
  readonly requestId: string
  readonly #end: Call['end']

  constructor(
    readonly log: EngineContext['log'],
    call: Call,
  ) {
    this.span = call.span
    this.requestId = call.id
    this.#end = call.end
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }
}

/** The answer, or a failure as soon as the request has ended for another reason. */
const orLate = <A>(
  call: Call,
  answered: Promise<E.Either<Problem, A>>,
  isLate: () => boolean,
): Promise<E.Either<Problem, A>> =>
  new Promise((resolve) => {
    const forget = call.end.listen(() => resolve(E.left(isLate() ? tooSlow : failed)))
    void answered.then((result) => {
      forget()
      resolve(result)
    })
  })

/** An engine that throws broke its word; the caller learns no more than that. */
const answer = async <A>(
  door: EngineDoor,
  run: TE.TaskEither<EngineFailure, A>,
): Promise<E.Either<Problem, A>> => {
  try {
    const result = await run()
    return E.isRight(result) ? result : E.left(engineProblem(result.left))
  } catch (error) {
    door.log('engine defect', { cause: error instanceof Error ? error.message : 'unknown' })
    return E.left(failed)
  }
}
