/** Attribute values of a span. They never hold state, questions, answers or keys. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A timed operation. */
export interface Span {
  readonly set: (attributes: Attributes) => void
  readonly event: (name: string, attributes?: Attributes) => void
  /**
   * Ends the span. `error` marks it as failed, with the `kind` of the error envelope and the failure's message.
   */
  readonly end: (error?: { readonly kind: string; readonly message: string }) => void
  /**
   * Headers that tell the service which span its own belong under (`traceparent`, `tracestate`); empty when
   * tracing is off.
   */
  readonly headers: () => Readonly<Record<string, string>>
}

/** Headers with which a caller names its span. */
interface Incoming {
  readonly traceparent?: string
  readonly tracestate?: string
}

/** Starts spans. `lib/tracing` implements it with OpenTelemetry. */
export interface Tracer {
  /**
   * Starts a span. Without a `parent` it belongs under the span that the variable `TRACEPARENT` names, if any.
   */
  readonly start: (name: string, options: SpanOptions) => Span
}

/** The options of a new span. */
export interface SpanOptions {
  readonly parent?: Span
  /** Set for the span of a request that this program sends. */
  readonly client?: boolean
  /** Set for the span of a request that this program answers. The span continues the caller's trace. */
  readonly server?: Incoming
  readonly attributes?: Attributes
  /** Earlier spans that this one follows (retries). */
  readonly links?: ReadonlyArray<Span>
}

const noHeaders = {}

/** The span used when tracing is off. */
export const noSpan: Span = {
  set: () => undefined,
  event: () => undefined,
  end: () => undefined,
  headers: () => noHeaders,
}

/** The tracer used when tracing is off. */
export const noTracer: Tracer = { start: () => noSpan }
