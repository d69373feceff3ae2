import type { Runtime } from '../runtime/runtime'
import { noTracer, type Tracer } from '../runtime/tracer'
import type { LogLevel } from './log'

/** Tracing for one run. */
export interface Tracing {
  readonly tracer: Tracer
  /**
   * Sends the remaining spans, for at most 5 s. Call it after the command's output is written. Never rejects: a
   * failure is reported in one line on stderr.
   */
  readonly shutdown: () => Promise<void>
}

/** The flags and values that decide whether and how a run is traced. */
export interface TracingOptions {
  /** `--trace` */
  readonly trace: boolean
  /** `--no-trace` */
  readonly noTrace: boolean
  /** The version of svc, which its spans name. */
  readonly version: string
  /** Which warnings are logged. */
  readonly level: LogLevel
  /** Redacts API keys in the texts of spans. */
  readonly redact: (text: string) => string
}

/** Tracing that is off. */
export const untraced: Tracing = { tracer: noTracer, shutdown: async () => undefined }

/** The variables that turn tracing on when they are not empty. */
const variables = ['TRACING_API_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_CONFIG_FILE'] as const

/**
 * Whether tracing is on, and the flag or variable that says so: `--no-trace` wins, then `--trace`, then any
 * variable that is not empty.
 */
export const decideTracing = (
  { trace, noTrace }: Pick<TracingOptions, 'trace' | 'noTrace'>,
  env: Runtime['env'],
): { readonly isOn: boolean; readonly source: string } => {
  if (noTrace) return { isOn: false, source: '--no-trace' }
  if (trace) return { isOn: true, source: '--trace' }
  const variable = variables.find((name) => (env[name] ?? '') !== '')
  return { isOn: variable !== undefined, source: variable ?? 'default' }
}

/**
 * Sets tracing up if it is on. OpenTelemetry is loaded only then. Never rejects: a failure is reported in one line
 * on stderr, and the run continues without tracing.
 */
export const openTracing = async (runtime: Runtime, options: TracingOptions): Promise<Tracing> =>
  decideTracing(options, runtime.env).isOn
    ? (await import('./set-up')).startTracing(runtime, options)
    : untraced
