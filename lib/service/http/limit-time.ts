import type { Clock } from '../../runtime/runtime'
import { engineTooSlow } from '../contract/problem'
import type { CallEngine } from '../limits/call-engine'
import type { RequestStep } from './call'

/** The access to the engine, and its time limit. */
export interface AnswerLimits {
  readonly clock: Clock
  readonly callEngine: CallEngine
  /** The time for an answer in milliseconds, including the wait for a turn. */
  readonly answerMs: number
}

/** Ends the call if it takes too long. The engine's step then answers with 504, even if the engine goes on. */
export const limitTime =
  ({ clock, answerMs }: AnswerLimits): RequestStep =>
  async (c, next) => {
    const tooSlow = engineTooSlow(
      'The engine did not answer in time.',
      `no answer within ${answerMs} ms, waiting in line included`,
    )
    const stopTimer = clock.timer(answerMs, () => c.get('call').end.abort(tooSlow))
    try {
      return await next()
    } finally {
      stopTimer()
    }
  }
