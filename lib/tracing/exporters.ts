import type { Agent } from 'node:http'
import { SpanKind } from '@opentelemetry/api'
import { ExportResultCode, hrTimeToMilliseconds } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node'
import { sanitize } from '../failure/text/harmless'
import type { Output } from '../runtime/runtime'
import type { OtlpSettings } from './read-exporter'

/** The address of a collector for messages, without its query, which may hold a key. */
export const collectorName = ({ endpoint }: OtlpSettings): string =>
  `${endpoint.origin}${endpoint.pathname}`

type Options = NonNullable<ConstructorParameters<typeof JsonExporter>[0]>

/**
 * Creates an exporter that sends spans over OTLP/HTTP. `fail` is called with every failure and with the
 * collector's name. D34
 */
export const createOtlpExporter = (
  settings: OtlpSettings,
  agent: Agent,
  version: string,
  fail: (failure: string) => void,
): SpanExporter => {
  const { 'user-agent': userAgent = `svc/${version}`, ...headers } = settings.headers
  const options: Options = {
    url: settings.endpoint.href,
    headers,
    userAgent,
    compression: settings.compression as Options['compression'],
    timeoutMillis: settings.timeout,
    // A simple processor exports each span by itself. The default limit would drop spans when many end at once.
    concurrencyLimit: Number.POSITIVE_INFINITY,
    httpAgentOptions: () => agent,
  }
  const exporter =
    settings.encoding === 'json' ? new JsonExporter(options) : new ProtobufExporter(options)
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined)
          fail(`export to ${collectorName(settings)}: ${causeOf(result.error)}`)
        done(result)
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}

/**
 * Describes an error. A refused connection to a name with two addresses is an `AggregateError` without a
 * message. The error about an answer has the status as its code.
 */
const causeOf = (error: unknown): string => {
  if (error instanceof AggregateError) return causeOf(error.errors[0])
  if (!(error instanceof Error)) return 'connection failed'
  const status = 'code' in error && typeof error.code === 'number' ? error.code : ''
  return `${status} ${error.message}`.trim() || 'connection failed'
}

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
