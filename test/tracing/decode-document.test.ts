import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readVectors } from '../support/vectors'
import {
  decodeValidYaml,
  explainYamlFault,
  formatDocument,
  formatProviderDocument,
} from './documents'

const test = suite('tracing/decode-document')

test('fills in the defaults of the schema', () => {
  const { provider, propagator } = decodeValidYaml(
    'file_format: "1.0"\ntracer_provider: {processors: [{batch: {exporter: {otlp_http: }}}]}',
  )
  const [processor] = provider?.processors ?? []
  assert.ok(processor?.batch)
  assert.is(processor.exporter.endpoint.href, 'http://localhost:4318/v1/traces')
  assert.is(processor.exporter.timeout, 10_000)
  assert.is(processor.exporter.compression, 'none')
  assert.is(processor.exporter.encoding, 'protobuf')
  assert.equal(processor.exporter.headers, {})
  // svc leaves the sampler to the SDK, whose default is that of the schema.
  assert.is(provider?.sampler, undefined)
  assert.equal(propagator.fields(), ['traceparent', 'tracestate'])
})

test('merges headers and headers_list, ignoring case, and leaves out headers without a value in headers', () => {
  const config = decodeValidYaml(
    formatDocument(
      `{otlp_http: {
        headers: [{name: A, value: own}, {name: c, value: }],
        headers_list: "a=listed, b=x%20y,c=z"
      }}`,
    ),
  )
  const [processor] = config.provider?.processors ?? []
  assert.equal(processor?.exporter.headers, { a: 'own', b: 'x y', c: 'z' })
})

test('limits of the provider override attribute_limits', () => {
  const { provider } =
    decodeValidYaml(`${formatProviderDocument('limits: {attribute_count_limit: 5}')}
attribute_limits: {attribute_count_limit: 9, attribute_value_length_limit: 7}`)
  assert.is(provider?.limits.attributeCountLimit, 5)
  assert.is(provider?.limits.attributeValueLengthLimit, 7)
})

/** Lists the headers that a propagator sends, in the order of its parts. */
const listFields = (propagator: string) =>
  decodeValidYaml(`file_format: "1.0"\npropagator: ${propagator}`).propagator.fields()

test('merges composite and composite_list without duplicates', () => {
  assert.equal(listFields('{composite: [{baggage: }], composite_list: "tracecontext,baggage"}'), [
    'baggage',
    'traceparent',
    'tracestate',
  ])
})

test('uses no propagator if composite_list is none or empty', () => {
  assert.equal(listFields('{composite_list: none}'), [])
  assert.equal(listFields('{composite_list: }'), [])
})

test('accepts every minor version of 1', () => {
  // `decodeValidYaml` throws if svc refuses the document.
  for (const version of ['1.0', '1.1', '1.1-rc.1', '1.9'])
    decodeValidYaml(`file_format: "${version}"`)
})

test('ignores the provider of a disabled document', () => {
  const { provider } = decodeValidYaml(
    'file_format: "1.0"\ndisabled: true\ntracer_provider: {x: 1}',
  )
  assert.is(provider, undefined)
})

test('ignores the sections for metrics, logs and instrumentation if there is a tracer_provider', () => {
  const config = decodeValidYaml(`${formatDocument('{otlp_http: }')}
meter_provider: {readers: [{pull: {exporter: {otlp_grpc: }}}]}
logger_provider: {processors: [{batch: {exporter: {otlp_http: }}}]}
instrumentation/development: {general: {stability_opt_in_list: http}}`)
  assert.is(config.provider?.processors.length, 1)
})

test('treats empty sections as absent', () => {
  // `decodeValidYaml` throws if svc refuses the document.
  decodeValidYaml(`file_format: "1.0"
instrumentation/development:
meter_provider:
logger_provider:
tracer_provider:
resource:
propagator:
distribution:
attribute_limits:`)
})

/**
 * The first path that svc refuses in a published example, by the example's name. A name with `main ` before it applies to the version on
 * the branch `main`. A name without `main ` applies to all other versions, and to that on `main` if it has no entry of its own. svc
 * accepts every example that is not listed.
 */
const refusedPaths: Readonly<Record<string, string>> = {
  CardinalityLimits_kitchen_sink: 'meter_provider',
  ConsoleExporter_logs_kitchen_sink: 'logger_provider',
  ConsoleExporter_traces_kitchen_sink: 'tracer_provider.processors[0].simple.exporter.console',
  ConsoleMetricExporter_traces_kitchen_sink: 'meter_provider',
  ExperimentalGeneralInstrumentation_semconv_stability_opt_in: 'instrumentation/development',
  ExperimentalInstrumentation_kitchen_sink: 'instrumentation/development',
  ExperimentalLoggerConfigurator_kitchen_sink: 'logger_provider',
  ExperimentalMeterConfigurator_kitchen_sink: 'meter_provider',
  ExperimentalOtlpFileExporter_logs_file: 'logger_provider',
  ExperimentalOtlpFileExporter_logs_stdout: 'logger_provider',
  ExperimentalOtlpFileExporter_traces_file:
    'tracer_provider.processors[0].batch.exporter.otlp_file/development',
  ExperimentalOtlpFileExporter_traces_stdout:
    'tracer_provider.processors[0].batch.exporter.otlp_file/development',
  ExperimentalOtlpFileMetricExporter_metrics_file: 'meter_provider',
  ExperimentalOtlpFileMetricExporter_metrics_stdout: 'meter_provider',
  ExperimentalPrometheusMetricExporter_kitchen_sink: 'meter_provider',
  ExperimentalTracerConfigurator_kitchen_sink: 'tracer_provider.tracer_configurator/development',
  IdGenerator_custom: 'tracer_provider.id_generator',
  LogRecordLimits_kitchen_sink: 'logger_provider',
  'main LogRecordLimits_kitchen_sink': 'attribute_limits.attribute_value_depth_limit',
  OtlpGrpcExporter_logs_kitchen_sink: 'logger_provider',
  OtlpGrpcExporter_traces_kitchen_sink: 'tracer_provider.processors[0].batch.exporter.otlp_grpc',
  OtlpGrpcMetricExporter_metrics_kitchen_sink: 'meter_provider',
  OtlpHttpExporter_logs_kitchen_sink: 'logger_provider',
  'main OtlpHttpExporter_traces_kitchen_sink':
    'tracer_provider.processors[0].batch.exporter.otlp_http.max_request_size',
  OtlpHttpMetricExporter_metrics_kitchen_sink: 'meter_provider',
  OtlpHttpMetricExporter_use_base2_exponential_histogram: 'meter_provider',
  Propagator_kitchen_sink: 'propagator.composite[2].b3',
  Resource_kitchen_sink: 'resource.detection/development',
  Sampler_always_record_typical: 'tracer_provider.processors[0].simple.exporter.console',
  Sampler_composite_rule_based_drop_redis_ping: 'tracer_provider.sampler.composite/development',
  Sampler_parent_based_typical: 'tracer_provider.processors[0].simple.exporter.console',
  Sampler_probability_kitchen_sink: 'tracer_provider.processors[0].simple.exporter.console',
  Sampler_rule_based_kitchen_sink: 'tracer_provider.processors[0].simple.exporter.console',
  SpanLimits_kitchen_sink: 'tracer_provider.processors[0].simple.exporter.console',
  'main SpanLimits_kitchen_sink': 'attribute_limits.attribute_value_depth_limit',
  View_kitchen_sink: 'meter_provider',
  View_override_default_histogram_buckets: 'meter_provider',
  'otel-getting-started': 'resource.detection/development',
  'otel-sdk-config': 'log_level',
  'otel-sdk-migration-config': 'log_level',
}

/** Examples that OpenTelemetry publishes. `ref` is the release or branch that `path` is from. */
interface Vectors {
  readonly files: ReadonlyArray<{
    readonly ref: string
    readonly path: string
    readonly text: string
  }>
}

const published = readVectors<Vectors>('opentelemetry-configuration.json')

for (const { ref, path, text } of published.files) {
  test(`reads or refuses the published example ${ref} ${path}`, () => {
    const name = path.replace(/^.*\/|\.yaml$/g, '')
    // A message is `<path>: <reason>`.
    const refusedPath = explainYamlFault(text)?.split(': ')[0]
    assert.is(refusedPath, refusedPaths[`${ref} ${name}`] ?? refusedPaths[name])
  })
}

test.run()
