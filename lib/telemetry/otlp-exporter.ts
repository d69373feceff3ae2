import type { Agent } from 'node:http'
import { OTLPExporterBase, OTLPExporterError } from '@opentelemetry/otlp-exporter-base'
import { createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http'
import {
  JsonTraceSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { OtlpSettings } from './read-exporter'

/** The address of a collector for messages, without its query, which may hold a key. */
export const collectorName = ({ endpoint }: OtlpSettings): string =>
  `${endpoint.origin}${endpoint.pathname}`

/**
 * Creates an exporter that sends spans over OTLP/HTTP. `fail` is called with every failure and with the
 * collector's name, also where a collector accepts a request but rejects spans in it. The exporter is assembled
 * from OpenTelemetry's parts, because the ready-made one reads headers from `OTEL_` variables. D34
 */
export const otlpExporter = (
  settings: OtlpSettings,
  agent: Agent,
  version: string,
  fail: (failure: string) => void,
): SpanExporter => {
  const isJson = settings.encoding === 'json'
  const { 'user-agent': userAgent = `svc/${version}`, ...headers } = settings.headers
  const serializer = isJson ? JsonTraceSerializer : ProtobufTraceSerializer
  const tell = (cause: string): void => fail(`export to ${collectorName(settings)}: ${cause}`)
  const delegate = createOtlpHttpExportDelegate(
    {
      url: settings.endpoint.href,
      headers: async () => ({
        ...headers,
        'content-type': isJson ? 'application/json' : 'application/x-protobuf',
      }),
      userAgent,
      compression: settings.compression,
      timeoutMillis: settings.timeout,
      // A simple processor exports each span by itself. The default limit would drop spans when many end at
      // once.
      concurrencyLimit: Infinity,
      agentFactory: () => agent,
    },
    {
      serializeRequest: serializer.serializeRequest,
      deserializeResponse: (bytes) => {
        const response = serializer.deserializeResponse(bytes)
        const { rejectedSpans = 0, errorMessage = '' } = response.partialSuccess ?? {}
        // JSON carries this number as a string.
        if (Number(rejectedSpans) > 0) tell(`spans rejected: ${rejectedSpans}, ${errorMessage}`)
        return response
      },
    },
    'otlp_http_span_exporter',
    TraceExporterMetricsHelper,
    undefined,
  )
  const exporter = new OTLPExporterBase(delegate)
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) tell(causeOf(result.error))
        done(result)
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}

/**
 * Describes an error. A refused connection to a name with two addresses is an `AggregateError` without a
 * message.
 */
const causeOf = (error: unknown): string => {
  if (error instanceof AggregateError) return causeOf(error.errors[0])
  if (error instanceof OTLPExporterError) return `${error.code ?? ''} ${error.message}`.trim()
  return error instanceof Error && error.message !== '' ? error.message : 'connection failed'
}
