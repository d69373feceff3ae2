import type { Runtime } from '../runtime/runtime'
import { noTracer, type Tracer } from '../runtime/trace'

/** Where the spans of a run go, and what ends it. */
export interface Tracing {
  readonly tracer: Tracer
  /**
   * Sends what is left, for at most 5 s (D35). Never rejects: a failure is one line on stderr. To be called
   * after the command's output is written.
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

/** The variables whose presence turns tracing on. spec: Tracing */
const variables = ['TRACING_API_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_CONFIG_FILE'] as const

/** Whether a run is traced: `--no-trace` wins, then `--trace`, then a variable that is not empty. spec: Tracing */
export const tracingEnabled = (
  { trace, noTrace }: Pick<TracingOptions, 'trace' | 'noTrace'>,
  env: Runtime['env'],
): boolean => !noTrace && (trace || variables.some((name) => (env[name] ?? '') !== ''))

/**
 * Opens tracing where it is wanted; only then is OpenTelemetry loaded. Never rejects: a failure is one line on
 * stderr, and the run goes on without tracing. spec: Tracing
 */
export const openTracing = async (runtime: Runtime, options: TracingOptions): Promise<Tracing> =>
  tracingEnabled(options, runtime.env)
    ? (await import('./start-tracing')).startTracing(runtime, options)
    : untraced
