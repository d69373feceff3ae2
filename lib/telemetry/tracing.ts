import { sanitize } from '../failure/message'
import type { Runtime } from '../runtime/runtime'
import { noTracer, type Tracer } from '../runtime/trace'
import { tracingEnabled } from './enabled'

/** The tracing of one run. */
export interface Tracing {
  readonly tracer: Tracer
  /**
   * Sends what is left and lets go of every socket, within 5 s (D35); a run that was
   * interrupted waits 150 ms. Failures go to stderr. Call it after the command's output.
   */
  readonly close: (interrupted: boolean) => Promise<void>
}

export interface TracingOptions {
  readonly trace: boolean
  readonly noTrace: boolean
  /** svc's own version, which names the source of its spans. */
  readonly version: string
  /** Keys that no span may carry, besides those of the environment. */
  readonly secrets: ReadonlyArray<string>
}

const off: Tracing = { tracer: noTracer, close: async () => undefined }

/** Longest delay of the exit, in milliseconds: at the end of a run, and once it is interrupted. */
export const bounds = { finished: 5_000, interrupted: 150 } as const

/**
 * Opens tracing where it is wanted; only then is OpenTelemetry loaded. Never rejects: a
 * failure is one line on stderr, and the run goes on without tracing. spec: Tracing
 */
export const openTracing = async (runtime: Runtime, options: TracingOptions): Promise<Tracing> => {
  if (!tracingEnabled(options, runtime.env)) return off
  const say = (what: string, error: string) =>
    runtime.stderr.write(`svc: tracing ${what}: ${sanitize(error)}\n`)
  try {
    const { setUp } = await import('./set-up')
    const started = await setUp(runtime, options)
    if (started._tag === 'Left') {
      await say('disabled', started.left)
      return off
    }
    const { tracer, shutdown } = started.right
    return {
      tracer,
      close: async (interrupted) => {
        const error = await shutdown(interrupted ? bounds.interrupted : bounds.finished)
        if (error !== undefined) await say('shutdown', error)
      },
    }
  } catch (error) {
    await say('disabled', error instanceof Error ? error.message : 'failed')
    return off
  }
}
