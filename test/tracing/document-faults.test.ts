import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeYaml, formatDocument, formatProviderDocument } from './documents'

const test = suite('tracing/document-faults')

type Faults = ReadonlyArray<readonly [yaml: string, message: string]>

const notText = 'must be a string that is not empty (quote numbers and booleans)'
const notPairs = 'must be key=value, percent-encoded'

/** Whole documents. */
const documentFaults: Faults = [
  ['[]', 'the document must be a mapping'],
  ['a: 1', 'a: is not supported'],
  ['disabled: false', 'file_format: is required'],
  ['file_format: 1.0', `file_format: ${notText}`],
  ['file_format: "0.4"', 'file_format: must be "1.0" or a later 1.x'],
  ['file_format: "2.0"', 'file_format: must be "1.0" or a later 1.x'],
  ['file_format: "1"', 'file_format: must be "1.0" or a later 1.x'],
]

/** Lines of a document after `file_format`. */
const memberFaults: Faults = [
  ['disabled: "no"', 'disabled: must be true or false'],
  ['log_level: info', 'log_level: is not supported'],
  [
    'attribute_limits: {attribute_value_depth_limit: 1}',
    'attribute_limits.attribute_value_depth_limit: is not supported',
  ],
  [
    'attribute_limits: {attribute_count_limit: -1}',
    'attribute_limits.attribute_count_limit: must be a whole number of at least 0',
  ],
  [
    'propagator: {composite: [{tracecontext: }, {b3: }]}',
    'propagator.composite[1].b3: is not supported',
  ],
  ['propagator: {composite: []}', 'propagator.composite: must have at least one entry'],
  [
    'propagator: {composite_list: "tracecontext, xray"}',
    'propagator.composite_list: entry 2 is not supported',
  ],
  [
    'propagator: {composite: [{tracecontext: {x: 1}}]}',
    'propagator.composite[0].tracecontext.x: is not supported',
  ],
  ['tracer_provider: x', 'tracer_provider: must be a mapping'],
  ['tracer_provider: {}', 'tracer_provider.processors: is required'],
  ['tracer_provider: {processors: []}', 'tracer_provider.processors: must have at least one entry'],
  ['tracer_provider: {processors: {}}', 'tracer_provider.processors: must be a list'],
  ['resource: {attributes: [{value: x}]}', 'resource.attributes[0].name: is required'],
  [
    'resource: {attributes: [{name: a, value: 1}]}',
    'resource.attributes[0]: the value must be of type string',
  ],
  [
    'resource: {attributes: [{name: a, value: 1.5, type: int}]}',
    'resource.attributes[0]: the value must be of type int',
  ],
  [
    'resource: {attributes: [{name: a, value: [x, 1], type: string_array}]}',
    'resource.attributes[0]: the value must be of type string_array',
  ],
  ['resource: {attributes_list: "a"}', `resource.attributes_list: entry 1 ${notPairs}`],
  [
    'resource: {detection/development: {detectors: [{container: }]}}',
    'resource.detection/development: is not supported',
  ],
  ['distribution: {a: {b: 1}}', 'distribution: is not supported'],
  ['instrumentation/development: {a: 1}', 'instrumentation/development: svc records traces only'],
  ['logger_provider: {a: 1}', 'logger_provider: svc records traces only'],
  ['meter_provider: {a: 1}', 'meter_provider: svc records traces only'],
]

const firstProcessor = 'tracer_provider.processors[0]'

/** Processors, as `batch` or `simple`. */
const processorFaults: Faults = [
  ['{other: }', `${firstProcessor}.other: is not supported`],
  ['{simple: , batch: }', `${firstProcessor}: must name exactly one of simple, batch`],
  ['{batch: }', `${firstProcessor}.batch.exporter: is required`],
  [
    '{batch: {max_queue_size: 0, exporter: {otlp_http: }}}',
    `${firstProcessor}.batch.max_queue_size: must be a whole number of at least 1`,
  ],
  [
    '{batch: {max_queue_size: 8, max_export_batch_size: 9, exporter: {otlp_http: }}}',
    `${firstProcessor}.batch: max_export_batch_size must not exceed max_queue_size`,
  ],
]

/** Exporters of a batch processor. */
const exporterFaults: Faults = [
  ['{otlp_grpc: }', `${firstProcessor}.batch.exporter.otlp_grpc: is not supported`],
  ['{console: }', `${firstProcessor}.batch.exporter.console: is not supported`],
]

/** Settings of OTLP over HTTP. The path of the settings comes before each message. */
const otlpFaults: Faults = [
  ['endpoint: "localhost:4318"', 'endpoint: must be an http or https URL'],
  ['endpoint: "not a url"', 'endpoint: must be an http or https URL'],
  ['endpoint: "http:///v1/traces"', 'endpoint: must have a host'],
  ['endpoint: "https://?x"', 'endpoint: must have a host'],
  ['endpoint: "http://h/a b"', 'endpoint: must not have blanks or control characters'],
  ['endpoint: "http://h/\\n"', 'endpoint: must not have blanks or control characters'],
  ['endpoint: "http://u:p@h/v1/traces"', 'endpoint: must not carry credentials: use headers'],
  ['headers: [{name: "a b", value: x}]', 'headers[0].name: is not a valid header name'],
  ['headers: [{name: a, value: "x\\ny"}]', 'headers[0].value: is not a valid header value'],
  ['headers: [{name: a, value: 12}]', `headers[0].value: ${notText}`],
  ['headers: [{name: Content-Type, value: x}]', 'headers[0].name: Content-Type is set by svc'],
  ['headers_list: "a=1,b"', `headers_list: entry 2 ${notPairs}`],
  ['headers_list: "a=%zz"', `headers_list: entry 1 ${notPairs}`],
  ['compression: zstd', 'compression: must be one of gzip, none'],
  ['encoding: xml', 'encoding: must be one of protobuf, json'],
  ['max_request_size: 1', 'max_request_size: is not supported'],
  ['timeout: 1.5', 'timeout: must be a whole number of at least 0'],
  ['tls: {key_file: k}', 'tls: needs both key_file and cert_file, or neither'],
  ['tls: {insecure: true}', 'tls.insecure: is not supported'],
]

/** Members of `tracer_provider`, whose path comes before each message. */
const providerFaults: Faults = [
  ['sampler: {composite/development: }', 'sampler.composite/development: is not supported'],
  [
    'sampler: {trace_id_ratio_based: {ratio: 1.5}}',
    'sampler.trace_id_ratio_based.ratio: must be between 0 and 1',
  ],
  [
    'sampler: {parent_based: {root: {jaeger_remote/development: }}}',
    'sampler.parent_based.root.jaeger_remote/development: is not supported',
  ],
  [
    'sampler: {}',
    'sampler: must name exactly one of always_on, always_off, trace_id_ratio_based, parent_based',
  ],
  ['limits: {span_count_limit: 1}', 'limits.span_count_limit: is not supported'],
  ['id_generator: {random: }', 'id_generator: is not supported'],
]

const testFaults = (faults: Faults): void => {
  for (const [yaml, message] of faults)
    test(`${message} - ${yaml.replaceAll('\n', ' ')}`, () => assert.is(decodeYaml(yaml), message))
}

const fileFormat = 'file_format: "1.0"'
const otlpPath = `${firstProcessor}.batch.exporter.otlp_http`

testFaults(documentFaults)
testFaults(memberFaults.map(([yaml, message]) => [`${fileFormat}\n${yaml}`, message]))
testFaults(
  processorFaults.map(([yaml, message]) => [
    `${fileFormat}\ntracer_provider: {processors: [${yaml}]}`,
    message,
  ]),
)
testFaults(exporterFaults.map(([yaml, message]) => [formatDocument(yaml), message]))
testFaults(
  otlpFaults.map(([yaml, message]) => [
    formatDocument(`{otlp_http: {${yaml}}}`),
    `${otlpPath}.${message}`,
  ]),
)
testFaults(
  providerFaults.map(([yaml, message]) => [
    formatProviderDocument(yaml),
    `tracer_provider.${message}`,
  ]),
)

test.run()
