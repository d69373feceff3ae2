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
