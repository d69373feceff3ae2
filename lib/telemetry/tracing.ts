import type { Runtime } from '../runtime/runtime'
import { noTracer, type Tracer } from '../runtime/trace'
import { sanitize } from '../text/harmless'
import { tracingEnabled } from './enabled'

/** Where the spans of a run go, and what ends it. */
export interface Tracing {
  readonly tracer: Tracer
  /**
   * Sends what is left and lets go of every socket, within 5 s (D35). Never rejects: a failure
   * is one line on stderr. For the time after the command's output.
   */
  readonly shutdown: () => Promise<void>
}

export interface TracingOptions {
  /** `--trace` */
  readonly trace: boolean
  /** `--no-trace` */
  readonly noTrace: boolean
  /** svc's own version, which names the source of its spans. */
  readonly version: string
  /** Takes keys out of what spans carry. D52 */
  readonly redact: (text: string) => string
}

/** A run without spans. */
export const untraced: Tracing = { tracer: noTracer, shutdown: async () => undefined }

/** Longest delay of the exit, in milliseconds: at the end of a run (D35), and once it is interrupted. */
export const bounds = { finished: 5_000, interrupted: 80 } as const

/**
 * Opens tracing where it is wanted; only then is OpenTelemetry loaded. Never rejects: a
 * failure is one line on stderr, and the run goes on without tracing. spec: Tracing
 */
export const openTracing = async (runtime: Runtime, options: TracingOptions): Promise<Tracing> => {
  if (!tracingEnabled(options, runtime.env)) return untraced
  const say = (what: string, error: string) =>
    runtime.stderr.write(`svc: tracing ${what}: ${sanitize(error)}\n`).catch(() => undefined)
  try {
    const { setUp } = await import('./set-up')
    const started = await setUp(runtime, options)
    if (started._tag === 'Left') {
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
  } catch (error) {
    await say('disabled', textOf(error))
    return untraced
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : 'failed')
