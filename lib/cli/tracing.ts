import type { Runtime } from '../runtime/runtime'
import { openTracing, type Tracing, untraced } from '../telemetry/tracing'
import type { Redact } from '../text/redact'
import type { Version } from './build'
import type { Values } from './declaration'
import type { GlobalFlags } from './globals'

/** A run without spans. */
export const noTracing: Tracing = untraced

/** Sets tracing up for a command that makes network calls, as its flags say. spec: Tracing */
export const startTracing = (
  globals: Values<GlobalFlags>,
  runtime: Runtime,
  { version }: Version,
  redact: Redact,
): Promise<Tracing> =>
  openTracing(runtime, {
    trace: globals.trace,
    noTrace: globals['no-trace'],
    version,
    redact,
  })
