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

/** The flags and values that tracing depends on. */
export interface TracingOptions {
  /** `--trace` */
  readonly trace: boolean
  /** `--no-trace` */
  readonly noTrace: boolean
  /** The version of svc, which its spans name. */
  readonly version: string
  /** The level of the warnings that tracing logs. */
  readonly level: LogLevel
  /** Redacts API keys in the texts of spans. */
  readonly redact: (text: string) => string
}

/** Tracing that is off: it records and sends nothing. */
export const untraced: Tracing = { tracer: noTracer, shutdown: async () => undefined }
