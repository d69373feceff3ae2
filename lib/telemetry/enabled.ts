/** The variables whose presence turns tracing on. spec: Tracing */
const variables = ['TRACING_API_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_CONFIG_FILE'] as const

/**
 * Whether a run is traced: `--no-trace` wins, then `--trace`, then any of three
 * variables that is not empty. Loads nothing. spec: Tracing, order
 */
export const tracingEnabled = (
  flags: { readonly trace: boolean; readonly noTrace: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean => !flags.noTrace && (flags.trace || variables.some((name) => (env[name] ?? '') !== ''))
