import {
  type Attributes as ApiAttributes,
  type Span as ApiSpan,
  type Tracer as ApiTracer,
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  type Link,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api'
import type { Runtime } from '../runtime/runtime'
import {
  type Attributes,
  noSpan,
  type Span,
  type SpanOptions,
  type Tracer,
} from '../runtime/tracer'

/** The inputs of a tracer. */
interface TracerOptions {
  readonly tracer: ApiTracer
  readonly propagator: TextMapPropagator
  /** `TRACEPARENT`, `TRACESTATE` and `BAGGAGE` name the parent of the run's spans, such as a span of a CI pipeline. */
  readonly env: Runtime['env']
  /** Redacts API keys in every text of a span. */
  readonly redact: (text: string) => string
}

/** Creates the program's `Tracer` from a tracer of OpenTelemetry. */
export const createTracer = ({ tracer, propagator, env, redact }: TracerOptions): Tracer => {
  /** The context of each span of this tracer. Its children and the headers of its requests need it. */
  const contexts = new WeakMap<Span, Context>()
  /** Returns the context of the span that these headers name. */
  const extractContext = (headers: object): Context =>
    propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
  const environmentContext = extractContext({
    traceparent: env.TRACEPARENT,
    tracestate: env.TRACESTATE,
    baggage: env.BAGGAGE,
  })

  const redactTexts = (attributes: Attributes): ApiAttributes => {
    const redacted: ApiAttributes = {}
    for (const [name, value] of Object.entries(attributes))
      redacted[name] = typeof value === 'string' ? redact(value) : value
    return redacted
  }

  /** Returns a link to a span of this tracer, or nothing for a span that records nothing. */
  const createLinks = (span: Span): ReadonlyArray<Link> => {
    const context = trace.getSpanContext(contexts.get(span) ?? ROOT_CONTEXT)
    return context === undefined ? [] : [{ context }]
  }

  const wrapSpan = (apiSpan: ApiSpan, context: Context): Span => ({
    set: (attributes) => void apiSpan.setAttributes(redactTexts(attributes)),
    event: (name, attributes = {}) => void apiSpan.addEvent(name, redactTexts(attributes)),
    end: (error) => {
      if (error !== undefined) {
        const message = redact(error.message)
        apiSpan.setAttribute('error.type', error.kind)
        apiSpan.recordException({ name: error.kind, message })
        apiSpan.setStatus({ code: SpanStatusCode.ERROR, message })
      }
      apiSpan.end()
    },
    headers: () => {
      const headers: Record<string, string> = {}
      propagator.inject(context, headers, defaultTextMapSetter)
      return headers
    },
  })

  return {
    start: (name, options) => {
      const { parent = noSpan, server: callerHeaders, attributes = {}, links = [] } = options
      // A span without a caller and without a parent in this process belongs to the parent that the environment names.
      const parentContext =
        callerHeaders === undefined
          ? (contexts.get(parent) ?? environmentContext)
          : extractContext(callerHeaders)
      const apiSpan = tracer.startSpan(
        name,
        {
          kind: chooseKind(options),
          attributes: redactTexts(attributes),
          links: links.flatMap(createLinks),
        },
        parentContext,
      )
      const context = trace.setSpan(parentContext, apiSpan)
      const span = wrapSpan(apiSpan, context)
      contexts.set(span, context)
      return span
    },
  }
}

const chooseKind = ({ client, server }: SpanOptions): SpanKind => {
  if (client) return SpanKind.CLIENT
  return server === undefined ? SpanKind.INTERNAL : SpanKind.SERVER
}
