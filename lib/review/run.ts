import { setMaxListeners } from 'node:events'
import type * as T from 'fp-ts/Task'
import { endSpan } from '../client/observe'
import type { ReviewUnit } from '../codec/review-config'
import type { Runtime } from '../runtime/runtime'
import type { Span } from '../runtime/trace'
import { inOrder } from './pool'
import { progress } from './progress'
import { reviewUnit, type UnitEnv, type UnitOutcome } from './unit'

/**
 * Runs units concurrently and gives their outcomes in the configuration's order; after an
 * interrupt only of those that had started. A span for each, below `parent`. D28, D32, D33
 */
export const runUnits =
  (
    env: UnitEnv,
    runtime: Runtime,
    parent: Span,
    units: ReadonlyArray<ReviewUnit>,
  ): T.Task<ReadonlyArray<UnitOutcome>> =>
  async () => {
    const { signal } = env.client
    // Every call in flight listens to the same signal.
    setMaxListeners(0, signal)
    const line = progress(runtime.stderr, runtime.clock, units.length)
    const outcomes = await inOrder(units, env.settings.concurrency, signal, async (unit) => {
      line.started()
      const outcome = await traced(env, parent, unit)
      line.finished()
      return outcome
    })
    await line.stop()
    return outcomes
  }

const traced = async (env: UnitEnv, parent: Span, unit: ReviewUnit): Promise<UnitOutcome> => {
  const span = env.client.tracer.start('svc.review.unit', {
    parent,
    attributes: { 'svc.review.unit.name': unit.name },
  })
  const client = { ...env.client, parent: span }
  const outcome = await reviewUnit({ ...env, client }, unit)()
  if (outcome.failure !== undefined) endSpan(span, outcome.failure)
  else if (outcome.report.failing) endFlagged(span, 'the unit is failing')
  else span.end()
  return outcome
}

/** Ends a span whose failure is the review's own verdict. */
export const endFlagged = (span: Span, message: string): void => {
  span.set({ 'error.type': 'flagged' })
  span.end({ kind: 'flagged', message })
}
