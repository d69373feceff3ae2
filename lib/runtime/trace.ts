/** Attribute values of a span; never state, questions, answers or keys (D33). */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** One timed operation. */
export interface Span {
  readonly set: (attributes: Attributes) => void
  readonly event: (name: string, attributes?: Attributes) => void
  /** Ends the span; `error` is the envelope's kind and the failure's text. */
  readonly end: (error?: { readonly kind: string; readonly message: string }) => void
  /** Headers that carry this span to the service (`traceparent`, `tracestate`); empty when tracing is off. */
  readonly headers: () => Readonly<Record<string, string>>
}

/** Headers in which a caller's span arrives. */
interface Incoming {
  readonly traceparent?: string
  readonly tracestate?: string
}

/** Starts spans. `lib/telemetry` has the real one; this room only knows the shape. */
export interface Tracer {
  /** A span without a `parent` belongs to the run's own parent (`TRACEPARENT`), if there is one. */
  readonly start: (name: string, options: SpanOptions) => Span
}

/** How a span is started. */
export interface SpanOptions {
  readonly parent?: Span
  /** The span stands for a request that this program sends. */
  readonly client?: boolean
  /** The span stands for a request that this program answers, and continues the caller's trace. */
  readonly server?: Incoming
  readonly attributes?: Attributes
  /** Earlier spans that this one follows (retries). */
  readonly links?: ReadonlyArray<Span>
}

const noHeaders = {}

/** The span of a run that is not traced. */
export const noSpan: Span = {
  set: () => undefined,
  event: () => undefined,
  end: () => undefined,
  headers: () => noHeaders,
}

/** The tracer of a run that is not traced. */
export const noTracer: Tracer = { start: () => noSpan }
