import type { Runtime } from '../runtime/runtime'
import { type Tracing, type TracingOptions, untraced } from './tracing'

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
