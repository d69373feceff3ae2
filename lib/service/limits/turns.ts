import { setImmediate as endOfTurn } from 'node:timers/promises'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type * as TE from 'fp-ts/TaskEither'
import { createWorkQueue } from '../../runtime/work-queue'
import { callerLeft, type Problem } from '../contract/problem'

/** The caller for whom work is done. */
interface Worker {
  /** Aborted when the last caller has stopped waiting for the work. */
  readonly signal: AbortSignal
  /** Identifies the caller's API key. Holders take turns. */
  readonly holder?: string | undefined
}

/** Computes on the event loop when its turn comes. Fails without computing if the caller leaves before. */
export type TakeTurn = (by: Worker) => <A>(compute: () => A) => TE.TaskEither<Problem, A>

/**
 * Lets computations take turns, one piece at a time and one caller after the other. Before each piece the event loop
 * handles everything else that is due, so `/healthz` never waits for more than one piece.
 */
export const createTurns = (): TakeTurn => {
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
