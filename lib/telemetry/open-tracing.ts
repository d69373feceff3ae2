import type { Runtime } from '../runtime/runtime'
import { type Tracing, type TracingOptions, untraced } from './trace'

/** The variables that turn tracing on when they are not empty. spec: Tracing */
const variables = ['TRACING_API_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_CONFIG_FILE'] as const

/**
 * Whether tracing is on: `--no-trace` wins, then `--trace`, then any variable that is not empty. spec: Tracing
 */
export const isTracingEnabled = (
  { trace, noTrace }: Pick<TracingOptions, 'trace' | 'noTrace'>,
  env: Runtime['env'],
): boolean => !noTrace && (trace || variables.some((name) => (env[name] ?? '') !== ''))

/**
 * Sets tracing up where it is on; OpenTelemetry is loaded only then. Never rejects: a failure is reported in
 * one line on stderr, and the run continues without tracing. spec: Tracing
 */
export const openTracing = async (runtime: Runtime, options: TracingOptions): Promise<Tracing> =>
  isTracingEnabled(options, runtime.env)
    ? (await import('./start-tracing')).startTracing(runtime, options)
    : untraced
