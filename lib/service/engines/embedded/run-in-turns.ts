import * as E from 'fp-ts/Either'
import type { EngineContext } from '../../contract/engine'
import type { Problem } from '../../contract/problem'

/** Work that yields the cost of each of its steps. A unit takes about a microsecond at most. */
export type StepByStep<A> = Generator<number, A>

/** The maximum cost of the steps in one turn of the event loop. */
const maxCostPerTurn = 10_000

/** Runs steps on the event loop, with a turn of the loop after each `maxCostPerTurn`. Fails if the request is aborted. */
export const runInTurns = async <A>(
  work: StepByStep<A>,
  compute: EngineContext['compute'],
): Promise<E.Either<Problem, A>> => {
  const runTurn = (): IteratorResult<number, A> => {
    for (let cost = 0; ; ) {
      const step = work.next()
      if (step.done) return step
      cost += step.value
      if (cost > maxCostPerTurn) return step
    }
  }
  for (;;) {
    const turn = await compute(runTurn)()
    if (E.isLeft(turn)) return turn
    if (turn.right.done) return E.right(turn.right.value)
  }
}
