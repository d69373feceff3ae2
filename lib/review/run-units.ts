import { setMaxListeners } from 'node:events'
import * as RA from 'fp-ts/ReadonlyArray'
import { endSpan } from '../client/call/observe'
import type { ReviewUnit } from '../codec/review-config'
import type { Span } from '../runtime/tracer'
import { createWorkQueue } from '../runtime/work-queue'
import type { ReviewProgress } from './progress'
import { reviewUnit, type UnitEnv, type UnitOutcome } from './unit'

interface RunSettings {
  /** The maximum number of units that run at the same time. */
  readonly concurrency: number
  /** The parent of the spans of units. */
  readonly parent: Span
  readonly progress: ReviewProgress | undefined
}

/**
 * Reviews units concurrently. A unit is a section of the spec with its implementation and tests. Returns their outcomes in the order of
 * the configuration. After an interrupt no further unit starts. Units that never started have no outcome.
 */
export const runUnits = async (
  env: UnitEnv,
  units: ReadonlyArray<ReviewUnit>,
  settings: RunSettings,
): Promise<ReadonlyArray<UnitOutcome>> => {
  const { concurrency, parent, progress } = settings
  const { signal } = env.client
  // Each unit adds a listener. Node warns about more than ten listeners as a possible leak.
  setMaxListeners(0, signal)
  // Any number of units may wait.
  const queue = createWorkQueue(concurrency, Number.POSITIVE_INFINITY)
  const reviewWithProgress = async (unit: ReviewUnit): Promise<UnitOutcome> => {
    progress?.noteStart()
    const outcome = await reviewInSpan(env, parent, unit)
    progress?.noteEnd()
    return outcome
  }
  const outcomes = units.map((unit) => queue.run(signal, () => reviewWithProgress(unit)))
  // A unit that never started is `none`, which `compact` drops.
  return RA.compact(await Promise.all(outcomes))
}

const reviewInSpan = async (env: UnitEnv, parent: Span, unit: ReviewUnit): Promise<UnitOutcome> => {
  const span = env.client.tracer.start('svc.review.unit', {
    parent,
    attributes: { 'svc.review.unit.name': unit.name },
  })
  const client = { ...env.client, parent: span }
  const outcome = await reviewUnit({ ...env, client }, unit)
  if (outcome.failure !== undefined) endSpan(span, outcome.failure)
  else if (outcome.report.failing) endSpanAsFlagged(span, 'the unit is failing')
  else span.end()
  return outcome
}

/** Ends a span with the error `flagged`, which means that the review failed although no call did. */
export const endSpanAsFlagged = (span: Span, message: string): void => {
  span.set({ 'error.type': 'flagged' })
  span.end({ kind: 'flagged', message })
}
