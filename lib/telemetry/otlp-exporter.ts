import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { CompressionAlgorithm, OTLPExporterError } from '@opentelemetry/otlp-exporter-base'
import type { SpanExporter } from '@opentelemetry/sdk-trace-node'
import type { OtlpConfig } from './config'
import { type Connections, longestTimer } from './connections'

/**
 * Sends spans over OTLP/HTTP. Every setting is given: what is left out, the library takes from
 * the environment. An error names the collector, without the address's query. D34
 */
export const otlpExporter = (
  config: OtlpConfig,
  { agent }: Connections,
  userAgent: string,
): SpanExporter => {
  const { 'user-agent': asked, ...headers } = config.headers
  const Exporter = config.encoding === 'json' ? JsonExporter : ProtobufExporter
  const exporter = new Exporter({
    url: config.endpoint.href,
    headers,
    userAgent: asked ?? userAgent,
    compression: config.gzip ? CompressionAlgorithm.GZIP : CompressionAlgorithm.NONE,
    timeoutMillis: Math.min(config.timeout || longestTimer, longestTimer),
    // A simple processor has an export under way for each span: none is to be dropped.
    concurrencyLimit: Infinity,
    httpAgentOptions: () => agent,
  })
  const where = `${config.endpoint.origin}${config.endpoint.pathname}`
  return {
    export: (spans, done) =>
      exporter.export(spans, ({ code, error }) =>
        done({ code, ...(error && { error: new Error(`export to ${where}: ${textOf(error)}`) }) }),
      ),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}

/** A refused connection to a name with two addresses comes as an error without a message. */
const textOf = (error: unknown): string => {
  if (error instanceof AggregateError) return textOf(error.errors[0])
  if (error instanceof OTLPExporterError) return `${error.code ?? ''} ${error.message}`.trim()
  return error instanceof Error && error.message !== '' ? error.message : 'connection failed'
}
