import type { Agent } from 'node:http'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { SpanExporter } from '@opentelemetry/sdk-trace-node'
import type { OtlpSettings } from './decode-exporter'

/** Formats the address of a collector for messages, without its query, which may contain a key. */
export const formatCollectorAddress = ({ endpoint }: OtlpSettings): string =>
  `${endpoint.origin}${endpoint.pathname}`

type ExporterOptions = NonNullable<ConstructorParameters<typeof JsonExporter>[0]>

/**
 * Creates an exporter that sends spans over OTLP/HTTP. `version` is that of svc. The exporter calls `reportFailure` with a description of
 * each failure, which names the collector.
 */
export const createOtlpExporter = (
  settings: OtlpSettings,
  agent: Agent,
  version: string,
  reportFailure: (failure: string) => void,
): SpanExporter => {
  const { 'user-agent': userAgent = `svc/${version}`, ...headers } = settings.headers
  const options: ExporterOptions = {
    url: settings.endpoint.href,
    headers,
    userAgent,
    // The option is an enum with the values `gzip` and `none`, which these packages do not export.
    compression: settings.compression as ExporterOptions['compression'],
    timeoutMillis: settings.timeout,
    // A simple processor exports each span by itself. The default limit would drop spans if many end at once.
    concurrencyLimit: Number.POSITIVE_INFINITY,
    httpAgentOptions: () => agent,
  }
  const exporter =
    settings.encoding === 'json' ? new JsonExporter(options) : new ProtobufExporter(options)
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined)
          reportFailure(
            `export to ${formatCollectorAddress(settings)}: ${describeExportError(result.error)}`,
          )
        done(result)
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}

/**
 * Describes why an export failed. A refused connection to a name with two addresses is an `AggregateError` without a message: its first
 * error is described. An error about an HTTP response has the status as its code.
 */
const describeExportError = (error: unknown): string => {
  if (error instanceof AggregateError) return describeExportError(error.errors[0])
  if (!(error instanceof Error)) return 'connection failed'
  const status = 'code' in error && typeof error.code === 'number' ? error.code : ''
  return `${status} ${error.message}`.trim() || 'connection failed'
}
