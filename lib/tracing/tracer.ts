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
import { type Attributes, noSpan, type Span, type Tracer } from '../runtime/tracer'

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
  const extract = (headers: Readonly<Record<string, string | undefined>>): Context =>
    propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
  const rootContext = extract({
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

  const linkTo = (span: Span): ReadonlyArray<Link> => {
    const context = trace.getSpanContext(contexts.get(span) ?? ROOT_CONTEXT)
    return context === undefined ? [] : [{ context }]
  }

  const wrapSpan = (span: ApiSpan, context: Context): Span => ({
    set: (attributes) => void span.setAttributes(redactTexts(attributes)),
    event: (name, attributes = {}) => void span.addEvent(name, redactTexts(attributes)),
    end: (error) => {
      if (error !== undefined) {
        const message = redact(error.message)
        span.setAttribute('error.type', error.kind)
        span.recordException({ name: error.kind, message })
        span.setStatus({ code: SpanStatusCode.ERROR, message })
      }
      span.end()
    },
    headers: () => {
      const headers: Record<string, string> = {}
      propagator.inject(context, headers, defaultTextMapSetter)
      return headers
    },
  })

  return {
    start: (name, options) => {
      const { parent = noSpan, client, server, attributes = {}, links = [] } = options
      const parentContext =
        server === undefined ? (contexts.get(parent) ?? rootContext) : extract({ ...server })
      let kind = SpanKind.INTERNAL
      if (server !== undefined) kind = SpanKind.SERVER
      if (client) kind = SpanKind.CLIENT
      const span = tracer.startSpan(
        name,
        { kind, attributes: redactTexts(attributes), links: links.flatMap(linkTo) },
        parentContext,
      )
      const context = trace.setSpan(parentContext, span)
      const started = wrapSpan(span, context)
      contexts.set(started, context)
      return started
    },
  }
}
