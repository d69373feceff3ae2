import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { otlp, read, withExporter, withOtlp, withProvider } from './documents'

const test = suite('telemetry/document-faults')

/** Documents that cannot be honoured, and the text that says why. */
const faults: ReadonlyArray<readonly [yaml: string, text: string]> = [
  ['[]', 'the document must be a mapping'],
  ['a: 1', 'a: is not supported'],
  ['disabled: false', 'file_format: is required'],
  ['file_format: 1.0', 'file_format: must be a string: quote it'],
  ['file_format: "0.4"', 'file_format: must be "1.0" or a later 1.x'],
  ['file_format: "2.0"', 'file_format: must be "1.0" or a later 1.x'],
  ['file_format: "1"', 'file_format: must be "1.0" or a later 1.x'],
  ['file_format: "1.0"\ndisabled: "no"', 'disabled: must be true or false'],
  [
    'file_format: "1.0"\nlog_level: loud',
    'log_level: must be one of trace, debug, info, warn, error, fatal',
  ],
  [
    'file_format: "1.0"\nlog_level: constructor',
    'log_level: must be one of trace, debug, info, warn, error, fatal',
  ],
  [
    'file_format: "1.0"\nattribute_limits: {attribute_count_limit: -1}',
    'attribute_limits.attribute_count_limit: must be a whole number of at least 0',
  ],
  [
    'file_format: "1.0"\npropagator: {composite: [{tracecontext: }, {b3: }]}',
    'propagator.composite[1].b3: is not supported',
  ],
  [
    'file_format: "1.0"\npropagator: {composite: []}',
    'propagator.composite: must have at least one entry',
  ],
  [
    'file_format: "1.0"\npropagator: {composite_list: "tracecontext, xray"}',
    'propagator.composite_list: entry 2 is not supported',
  ],
  [
    'file_format: "1.0"\npropagator: {composite: [{tracecontext: {x: 1}}]}',
    'propagator.composite[0].tracecontext.x: is not supported',
  ],
  ['file_format: "1.0"\ntracer_provider: x', 'tracer_provider: must be a mapping'],
  ['file_format: "1.0"\ntracer_provider: {}', 'tracer_provider.processors: is required'],
  [
    'file_format: "1.0"\ntracer_provider: {processors: []}',
    'tracer_provider.processors: must have at least one entry',
  ],
  [
    'file_format: "1.0"\ntracer_provider: {processors: {}}',
    'tracer_provider.processors: must be a list',
  ],
  [
    'file_format: "1.0"\ntracer_provider: {processors: [{other: }]}',
    'tracer_provider.processors[0].other: is not supported',
  ],
  [
    'file_format: "1.0"\ntracer_provider: {processors: [{simple: , batch: }]}',
    'tracer_provider.processors[0]: must name exactly one of simple, batch',
  ],
  [
    'file_format: "1.0"\ntracer_provider: {processors: [{batch: }]}',
    'tracer_provider.processors[0].batch.exporter: is required',
  ],
  [
    'file_format: "1.0"\ntracer_provider: {processors: [{batch: {max_queue_size: 0, exporter: {console: }}}]}',
    'tracer_provider.processors[0].batch.max_queue_size: must be a whole number of at least 1',
  ],
  [
    'file_format: "1.0"\ntracer_provider: {processors: [{batch: {max_queue_size: 8, max_export_batch_size: 9, exporter: {console: }}}]}',
    'tracer_provider.processors[0].batch.max_export_batch_size: must not exceed max_queue_size',
  ],
  [
    withExporter('{otlp_grpc: }'),
    'tracer_provider.processors[0].simple.exporter.otlp_grpc: is not supported',
  ],
  [
    withExporter('{otlp_file/development: }'),
    'tracer_provider.processors[0].simple.exporter.otlp_file/development: is not supported',
  ],
  [
    withExporter('{console: {pretty: true}}'),
    'tracer_provider.processors[0].simple.exporter.console.pretty: is not supported',
  ],
  [withOtlp('{endpoint: "localhost:4318"}'), `${otlp}.endpoint: must be an http or https URL`],
  [withOtlp('{endpoint: "http:///v1/traces"}'), `${otlp}.endpoint: must have a host`],
  [withOtlp('{endpoint: "https://?x"}'), `${otlp}.endpoint: must have a host`],
  [
    withOtlp('{endpoint: "http://h/a b"}'),
    `${otlp}.endpoint: must not have blanks or control characters`,
  ],
  [
    withOtlp('{endpoint: "http://h/\\n"}'),
    `${otlp}.endpoint: must not have blanks or control characters`,
  ],
  [withOtlp('{endpoint: "not a url"}'), `${otlp}.endpoint: must be an http or https URL`],
  [
    withOtlp('{endpoint: "http://u:p@h/v1/traces"}'),
    `${otlp}.endpoint: must not carry credentials: use headers`,
  ],
  [
    withOtlp('{headers: [{name: "a b", value: x}]}'),
    `${otlp}.headers[0].name: is not a valid header name`,
  ],
  [
    withOtlp('{headers: [{name: a, value: "x\\ny"}]}'),
    `${otlp}.headers[0].value: is not a valid header value`,
  ],
  [
    withOtlp('{headers: [{name: a, value: 12}]}'),
    `${otlp}.headers[0].value: must be a string: quote it`,
  ],
  [
    withOtlp('{headers: [{name: Content-Type, value: x}]}'),
    `${otlp}.headers[0].name: Content-Type is set by svc`,
  ],
  [
    withOtlp('{headers_list: "a=1,b"}'),
    `${otlp}.headers_list: entry 2 must be key=value, percent-encoded`,
  ],
  [
    withOtlp('{headers_list: "a=%zz"}'),
    `${otlp}.headers_list: entry 1 must be key=value, percent-encoded`,
  ],
  [withOtlp('{compression: zstd}'), `${otlp}.compression: must be one of gzip, none`],
  [withOtlp('{encoding: xml}'), `${otlp}.encoding: must be one of protobuf, json`],
  [
    withOtlp('{max_request_size: 0}'),
    `${otlp}.max_request_size: must be a whole number of at least 1`,
  ],
  [withOtlp('{timeout: 1.5}'), `${otlp}.timeout: must be a whole number of at least 0`],
  [withOtlp('{tls: {key_file: k}}'), `${otlp}.tls.key_file: needs cert_file as well`],
  [withOtlp('{tls: {cert_file: c}}'), `${otlp}.tls.cert_file: needs key_file as well`],
  [withOtlp('{tls: {insecure: true}}'), `${otlp}.tls.insecure: is not supported`],
  [
    withProvider('sampler: {probability/development: {ratio: 0.1}}'),
    'tracer_provider.sampler.probability/development: is not supported',
  ],
  [
    withProvider('sampler: {trace_id_ratio_based: {ratio: 1.5}}'),
    'tracer_provider.sampler.trace_id_ratio_based.ratio: must be between 0 and 1',
  ],
  [
    withProvider('sampler: {parent_based: {root: {jaeger_remote/development: }}}'),
    'tracer_provider.sampler.parent_based.root.jaeger_remote/development: is not supported',
  ],
  [
    withProvider('sampler: {}'),
    'tracer_provider.sampler: must name exactly one of always_on, always_off, trace_id_ratio_based, always_record, parent_based',
  ],
  [
    withProvider('limits: {span_count_limit: 1}'),
    'tracer_provider.limits.span_count_limit: is not supported',
  ],
  [
    withProvider('id_generator: {custom: }'),
    'tracer_provider.id_generator.custom: is not supported',
  ],
  [
    withProvider('tracer_configurator/development: {default_config: {enabled: false}}'),
    'tracer_provider.tracer_configurator/development: is not supported',
  ],
  [
    'file_format: "1.0"\nresource: {attributes: [{value: x}]}',
    'resource.attributes[0].name: is required',
  ],
  [
    'file_format: "1.0"\nresource: {attributes: [{name: a, value: 1}]}',
    'resource.attributes[0].value: must be of type string: quote it, or give its type',
  ],
  [
    'file_format: "1.0"\nresource: {attributes: [{name: a, value: 1.5, type: int}]}',
    'resource.attributes[0].value: must be of type int',
  ],
  [
    'file_format: "1.0"\nresource: {attributes: [{name: a, value: [x, 1], type: string_array}]}',
    'resource.attributes[0].value: must be of type string_array',
  ],
  [
    'file_format: "1.0"\nresource: {attributes_list: "a"}',
    'resource.attributes_list: entry 1 must be key=value, percent-encoded',
  ],
  [
    'file_format: "1.0"\nresource: {detection/development: {detectors: [{container: }, {aws: }]}}',
    'resource.detection/development.detectors[1].aws: is not supported',
  ],
  [
    'file_format: "1.0"\ninstrumentation/development: {general: {stability_opt_in_list: http}}',
    'instrumentation/development: svc records traces only',
  ],
  ['file_format: "1.0"\ndistribution: {a: {b: 1}}', 'distribution: is not supported'],
  [
    'file_format: "1.0"\nlogger_provider: {processors: []}',
    'logger_provider: svc records traces only',
  ],
  [
    'file_format: "1.0"\nmeter_provider: {readers: [{other: }]}',
    'meter_provider: svc records traces only',
  ],
]

for (const [yaml, text] of faults) {
  test(`${text} — ${yaml.replaceAll('\n', ' ')}`, () => assert.is(read(yaml), text))
}

test.run()
