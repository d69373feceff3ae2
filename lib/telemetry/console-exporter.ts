import { SpanKind } from '@opentelemetry/api'
import { ExportResultCode, hrTimeToMilliseconds } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node'
import type { Output } from '../runtime/runtime'
import { sanitize } from '../text/harmless'

/** Writes each span as a line of JSON to standard error, since stdout is reserved for the answer. D34 */
export const createConsoleExporter = (stderr: Output): SpanExporter => {
  let written = Promise.resolve()
  const flush = (): Promise<void> => written
  return {
    export: (spans, done) => {
      const lines = spans
        .map((span) => `${sanitize(JSON.stringify(describeSpan(span)))}\n`)
        .join('')
      written = written.then(() => stderr.write(lines))
      void written.then(() => done({ code: ExportResultCode.SUCCESS }))
    },
    forceFlush: flush,
    shutdown: flush,
  }
}

const describeSpan = (span: ReadableSpan): unknown => ({
  name: span.name,
  kind: SpanKind[span.kind],
  traceId: span.spanContext().traceId,
  spanId: span.spanContext().spanId,
  parentSpanId: span.parentSpanContext?.spanId,
  start: new Date(hrTimeToMilliseconds(span.startTime)).toISOString(),
  durationMs: hrTimeToMilliseconds(span.duration),
  status: span.status,
  attributes: span.attributes,
  links: span.links.map(({ context: { traceId, spanId } }) => ({ traceId, spanId })),
  events: span.events.map(({ name, attributes }) => ({ name, attributes })),
  resource: span.resource.attributes,
})
