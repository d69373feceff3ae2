import * as E from 'fp-ts/Either'
import type { Runtime } from '../runtime/runtime'
import { sanitize } from '../text/harmless'
import { setUp } from './set-up'
import { type Tracing, type TracingOptions, untraced } from './trace'

/**
 * The longest time in milliseconds that sending spans may delay the exit: at the end of a run (D35), and after
 * an interrupt.
 */
export const bounds = { finished: 5_000, interrupted: 80 } as const

/** Sets tracing up. A failure, now or on shutdown, is reported in one line on stderr. spec: Tracing */
export const startTracing = async (runtime: Runtime, options: TracingOptions): Promise<Tracing> => {
  const say = (what: string, error: string): Promise<void> =>
    runtime.stderr.write(`svc: tracing ${what}: ${sanitize(error)}\n`).catch(() => undefined)
  const started = await setUp(runtime, options).catch((error) => E.left(textOf(error)))
  if (E.isLeft(started)) {
    await say('disabled', started.left)
    return untraced
  }
  const { tracer, shutdown } = started.right
  return {
    tracer,
    shutdown: async () => {
      const bound = runtime.signal.aborted ? bounds.interrupted : bounds.finished
      const error = await shutdown(bound).catch(textOf)
      if (error !== undefined) await say('shutdown', error)
    },
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : 'failed')
