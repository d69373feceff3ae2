/** The attributes of a span. Never put the content of calls (states, questions, answers) or API keys into them. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A timed operation. */
export interface Span {
  readonly set: (attributes: Attributes) => void
  readonly event: (name: string, attributes?: Attributes) => void
  /** Ends the span. `error` marks the span as failed. It has the kind and the message of the failure. */
  readonly end: (error?: { readonly kind: string; readonly message: string }) => void
  /** Returns the headers with which the service can continue this trace, such as `traceparent`. Returns none if tracing is off. */
  readonly headers: () => Readonly<Record<string, string>>
}

/** The headers of a request that name the caller's span. */
interface TraceHeaders {
  readonly traceparent?: string
  readonly tracestate?: string
}

/** Starts spans. `lib/tracing` implements it with OpenTelemetry. */
export interface Tracer {
  /** Starts a span. Without `parent`, its parent is the span in the environment variable `TRACEPARENT`, if that is set. */
  readonly start: (name: string, options: SpanOptions) => Span
}

/** The options of a new span. */
export interface SpanOptions {
  readonly parent?: Span
  /** `true` if the span is a request that this program sends. */
  readonly client?: boolean
  /** The headers of the request if the span is a request that this program answers. The span continues the caller's trace. */
  readonly server?: TraceHeaders
  readonly attributes?: Attributes
  /** Related spans: a retry links to the attempt before it. */
  readonly links?: ReadonlyArray<Span>
}

const noHeaders = {}

/** A span that records nothing, for runs without tracing. */
export const noSpan: Span = {
  set: () => undefined,
  event: () => undefined,
  end: () => undefined,
  headers: () => noHeaders,
}

/** A tracer that records nothing, for runs without tracing. */
export const noTracer: Tracer = { start: () => noSpan }

/** Tracing for one run. */
export interface Tracing {
  readonly tracer: Tracer
  /**
   * Sends the remaining spans, for at most 5 s. Call it after the command's output is written. Never rejects: a
   * failure is reported in one line on stderr.
   */
  readonly shutdown: () => Promise<void>
}

/** Tracing that is off: it records and sends nothing. */
export const untraced: Tracing = { tracer: noTracer, shutdown: async () => undefined }
