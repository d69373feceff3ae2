import {
  type Attributes as ApiAttributes,
  type Tracer as ApiTracer,
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api'
import type { Runtime } from '../runtime/runtime'
import { type Attributes, noSpan, type Span, type Tracer } from '../runtime/tracer'

/** The parts of a tracer. */
interface TracerOptions {
  readonly tracer: ApiTracer
  readonly propagator: TextMapPropagator
  /**
   * Its variables `TRACEPARENT`, `TRACESTATE` and `BAGGAGE` name the span that the run belongs under, such as
   * that of a CI pipeline.
   */
  readonly env: Runtime['env']
  /** Redacts API keys in every text of a span. */
  readonly redact: (text: string) => string
}

/** Implements the program's `Tracer` with one of OpenTelemetry. */
export const createTracer = ({ tracer, propagator, env, redact }: TracerOptions): Tracer => {
  const contexts = new WeakMap<Span, Context>()
  const extract = (headers: Readonly<Record<string, string | undefined>>): Context =>
    propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
  const root = extract({
    traceparent: env.TRACEPARENT,
    tracestate: env.TRACESTATE,
    baggage: env.BAGGAGE,
  })

  const redactTexts = (attributes: Attributes): ApiAttributes =>
    Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [
        name,
        typeof value === 'string' ? redact(value) : value,
      ]),
    )

  return {
    start: (name, { parent, client, server, attributes = {}, links = [] }) => {
      const within =
        server === undefined ? (contexts.get(parent ?? noSpan) ?? root) : extract({ ...server })
      const span = tracer.startSpan(
        name,
        {
          kind: client ? SpanKind.CLIENT : server ? SpanKind.SERVER : SpanKind.INTERNAL,
          attributes: redactTexts(attributes),
          links: links.flatMap((link) => {
            const context = trace.getSpanContext(contexts.get(link) ?? ROOT_CONTEXT)
            return context === undefined ? [] : [{ context }]
          }),
        },
        within,
      )
      const context = trace.setSpan(within, span)
      const started: Span = {
        set: (more) => void span.setAttributes(redactTexts(more)),
        event: (event, more = {}) => void span.addEvent(event, redactTexts(more)),
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
      }
      contexts.set(started, context)
      return started
    },
  }
}
