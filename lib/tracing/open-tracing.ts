import type { Runtime } from '../runtime/runtime'
import { type Tracing, untraced } from '../runtime/tracer'
import type { TracingOptions } from './start-tracing'

/** The variables that turn tracing on if they are not blank. */
const tracingVariables = [
  'TRACING_API_KEY',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_CONFIG_FILE',
] as const

/**
 * Decides if tracing is on: `--no-trace` overrides `--trace`, which overrides the variables. `source` is the flag or variable that
 * decided, or `default` if there is none.
 */
export const decideTracing = (
  { trace, noTrace }: Pick<TracingOptions, 'trace' | 'noTrace'>,
  env: Runtime['env'],
): { readonly isOn: boolean; readonly source: string } => {
  if (noTrace) return { isOn: false, source: '--no-trace' }
  if (trace) return { isOn: true, source: '--trace' }
  const variable = tracingVariables.find((name) => env[name]?.trim())
  return { isOn: variable !== undefined, source: variable ?? 'default' }
}

/**
 * Sets tracing up if it is on. OpenTelemetry is loaded only then. Never rejects: a failure is reported in one line
 * on stderr, and the run continues without tracing.
 */
export const openTracing = async (runtime: Runtime, options: TracingOptions): Promise<Tracing> =>
  decideTracing(options, runtime.env).isOn
    ? (await import('./start-tracing')).startTracing(runtime, options)
    : untraced
