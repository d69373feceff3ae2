import { setImmediate as endOfTurn } from 'node:timers/promises'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type * as TE from 'fp-ts/TaskEither'
import { createWorkQueue } from '../../runtime/work-queue'
import { callerLeft, type Problem } from '../contract/problem'

/** Whose work it is, and when nobody waits for it any more. */
interface Worker {
  readonly signal: AbortSignal
  /** Identifies the caller's API key. Holders take turns. */
  readonly holder?: string | undefined
}

/** Computes on the event loop when its turn comes. Fails without computing where the caller leaves before. D80 */
export type TakeTurn = (by: Worker) => <A>(compute: () => A) => TE.TaskEither<Problem, A>

/**
 * Lets work that computes take turns, one piece at a time and one caller after the other. Before each piece the event
 * loop attends to everything else that is due, so that `/healthz` never waits for more than one piece. D80
 */
export const newTurns = (): TakeTurn => {
  const queue = createWorkQueue(1, Number.POSITIVE_INFINITY)
  return ({ signal, holder }) =>
    (compute) =>
    async () => {
      const work = async () => {
        await endOfTurn()
        return compute()
      }
      return pipe(
        await queue.run(signal, work, holder),
        E.fromOption(() => callerLeft),
      )
    }
}
