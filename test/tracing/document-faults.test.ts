import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { explainYamlFault, formatDocument, formatProviderDocument } from './documents'

const test = suite('tracing/document-faults')

/** A document, or a part of one, and the message about its first fault. */
interface Fault {
  readonly yaml: string
  readonly message: string
}

type Faults = ReadonlyArray<Fault>

const notTextMessage = 'must be a string that is not empty (quote numbers and booleans)'
const notPairsMessage = 'must be key=value, percent-encoded'

/** Whole documents. */
const documentFaults: Faults = [
  { yaml: '[]', message: 'the document must be a mapping' },
  { yaml: 'a: 1', message: 'a: is not supported' },
  { yaml: 'disabled: false', message: 'file_format: is required' },
  { yaml: 'file_format: 1.0', message: `file_format: ${notTextMessage}` },
  { yaml: 'file_format: "0.4"', message: 'file_format: must be "1.0" or a later 1.x' },
  { yaml: 'file_format: "2.0"', message: 'file_format: must be "1.0" or a later 1.x' },
  { yaml: 'file_format: "1"', message: 'file_format: must be "1.0" or a later 1.x' },
]

/** Top-level lines of a document after `file_format`. */
const topLevelFaults: Faults = [
  { yaml: 'disabled: "no"', message: 'disabled: must be true or false' },
  { yaml: 'log_level: info', message: 'log_level: is not supported' },
  {
    yaml: 'attribute_limits: {attribute_value_depth_limit: 1}',
    message: 'attribute_limits.attribute_value_depth_limit: is not supported',
  },
  {
    yaml: 'attribute_limits: {attribute_count_limit: -1}',
    message: 'attribute_limits.attribute_count_limit: must be a whole number of at least 0',
  },
  {
    yaml: 'propagator: {composite: [{tracecontext: }, {b3: }]}',
    message: 'propagator.composite[1].b3: is not supported',
  },
  {
    yaml: 'propagator: {composite: []}',
    message: 'propagator.composite: must have at least one entry',
  },
  {
    yaml: 'propagator: {composite_list: "tracecontext, xray"}',
    message: 'propagator.composite_list: entry 2 is not supported',
  },
  {
    yaml: 'propagator: {composite: [{tracecontext: {x: 1}}]}',
    message: 'propagator.composite[0].tracecontext.x: is not supported',
  },
  { yaml: 'tracer_provider: x', message: 'tracer_provider: must be a mapping' },
  { yaml: 'tracer_provider: {}', message: 'tracer_provider.processors: is required' },
  {
    yaml: 'tracer_provider: {processors: []}',
    message: 'tracer_provider.processors: must have at least one entry',
  },
  {
    yaml: 'tracer_provider: {processors: {}}',
    message: 'tracer_provider.processors: must be a list',
  },
  {
    yaml: 'resource: {attributes: [{value: x}]}',
    message: 'resource.attributes[0].name: is required',
  },
  {
    yaml: 'resource: {attributes: [{name: a, value: 1}]}',
    message: 'resource.attributes[0]: the value must be of type string',
  },
  {
    yaml: 'resource: {attributes: [{name: a, value: 1.5, type: int}]}',
    message: 'resource.attributes[0]: the value must be of type int',
  },
  {
    yaml: 'resource: {attributes: [{name: a, value: [x, 1], type: string_array}]}',
    message: 'resource.attributes[0]: the value must be of type string_array',
  },
  {
    yaml: 'resource: {attributes_list: "a"}',
    message: `resource.attributes_list: entry 1 ${notPairsMessage}`,
  },
  {
    yaml: 'resource: {detection/development: {detectors: [{container: }]}}',
    message: 'resource.detection/development: is not supported',
  },
  { yaml: 'distribution: {a: {b: 1}}', message: 'distribution: is not supported' },
  {
    yaml: 'instrumentation/development: {a: 1}',
    message: 'instrumentation/development: svc records traces only',
  },
  { yaml: 'logger_provider: {a: 1}', message: 'logger_provider: svc records traces only' },
  { yaml: 'meter_provider: {a: 1}', message: 'meter_provider: svc records traces only' },
]

/** The name of the only processor of these documents in messages. */
const processorPath = 'tracer_provider.processors[0]'

/** Span processors. `processorPath` precedes each of these messages. */
const processorFaults: Faults = [
  { yaml: '{other: }', message: '.other: is not supported' },
  {
    yaml: '{simple: , batch: }',
    message: ': must name exactly one of simple, batch',
  },
  { yaml: '{batch: }', message: '.batch.exporter: is required' },
  {
    yaml: '{batch: {max_queue_size: 0, exporter: {otlp_http: }}}',
    message: '.batch.max_queue_size: must be a whole number of at least 1',
  },
  {
    yaml: '{batch: {max_queue_size: 8, max_export_batch_size: 9, exporter: {otlp_http: }}}',
    message: '.batch: max_export_batch_size must not exceed max_queue_size',
  },
]

/** Exporters of a batch processor. Their path precedes each of these messages. */
const exporterFaults: Faults = [
  { yaml: '{otlp_grpc: }', message: '.otlp_grpc: is not supported' },
  { yaml: '{console: }', message: '.console: is not supported' },
]

/** Settings of OTLP over HTTP. The path of `otlp_http` precedes each of these messages. */
const otlpFaults: Faults = [
  { yaml: 'endpoint: "localhost:4318"', message: 'endpoint: must be an http or https URL' },
  { yaml: 'endpoint: "not a url"', message: 'endpoint: must be an http or https URL' },
  { yaml: 'endpoint: "http:///v1/traces"', message: 'endpoint: must have a host' },
  { yaml: 'endpoint: "https://?x"', message: 'endpoint: must have a host' },
  {
    yaml: 'endpoint: "http://h/a b"',
    message: 'endpoint: must not have blanks or control characters',
  },
  {
    yaml: 'endpoint: "http://h/\\n"',
    message: 'endpoint: must not have blanks or control characters',
  },
  {
    yaml: 'endpoint: "http://u:p@h/v1/traces"',
    message: 'endpoint: must not carry credentials: use headers',
  },
  {
    yaml: 'headers: [{name: "a b", value: x}]',
    message: 'headers[0].name: is not a valid header name',
  },
  {
    yaml: 'headers: [{name: a, value: "x\\ny"}]',
    message: 'headers[0].value: is not a valid header value',
  },
  { yaml: 'headers: [{name: a, value: 12}]', message: `headers[0].value: ${notTextMessage}` },
  {
    yaml: 'headers: [{name: Content-Type, value: x}]',
    message: 'headers[0].name: Content-Type is set by svc',
  },
  { yaml: 'headers_list: "a=1,b"', message: `headers_list: entry 2 ${notPairsMessage}` },
  { yaml: 'headers_list: "a=%zz"', message: `headers_list: entry 1 ${notPairsMessage}` },
  { yaml: 'compression: zstd', message: 'compression: must be one of gzip, none' },
  { yaml: 'encoding: xml', message: 'encoding: must be one of protobuf, json' },
  { yaml: 'max_request_size: 1', message: 'max_request_size: is not supported' },
  { yaml: 'timeout: 1.5', message: 'timeout: must be a whole number of at least 0' },
  { yaml: 'tls: {key_file: k}', message: 'tls: needs both key_file and cert_file, or neither' },
  { yaml: 'tls: {insecure: true}', message: 'tls.insecure: is not supported' },
]

/** Members of `tracer_provider`. `tracer_provider.` precedes each of these messages. */
const providerFaults: Faults = [
  {
    yaml: 'sampler: {composite/development: }',
    message: 'sampler.composite/development: is not supported',
  },
  {
    yaml: 'sampler: {trace_id_ratio_based: {ratio: 1.5}}',
    message: 'sampler.trace_id_ratio_based.ratio: must be between 0 and 1',
  },
  {
    yaml: 'sampler: {parent_based: {root: {jaeger_remote/development: }}}',
    message: 'sampler.parent_based.root.jaeger_remote/development: is not supported',
  },
  {
    yaml: 'sampler: {}',
    message:
      'sampler: must name exactly one of always_on, always_off, trace_id_ratio_based, parent_based',
  },
  { yaml: 'limits: {span_count_limit: 1}', message: 'limits.span_count_limit: is not supported' },
  { yaml: 'id_generator: {random: }', message: 'id_generator: is not supported' },
]

/** Adds a test for each fault. `formatYaml` puts its YAML into a document, and `messagePrefix` precedes its message. */
const testFaults = (
  faults: Faults,
  formatYaml: (yaml: string) => string,
  messagePrefix = '',
): void => {
  for (const fault of faults) {
    const yaml = formatYaml(fault.yaml)
    const message = `${messagePrefix}${fault.message}`
    test(`${message} - ${yaml.replaceAll('\n', ' ')}`, () => {
      assert.is(explainYamlFault(yaml), message)
    })
  }
}

testFaults(documentFaults, (yaml) => yaml)
testFaults(topLevelFaults, (yaml) => `file_format: "1.0"\n${yaml}`)
testFaults(
  processorFaults,
  (yaml) => `file_format: "1.0"\ntracer_provider: {processors: [${yaml}]}`,
  processorPath,
)
testFaults(exporterFaults, (yaml) => formatDocument(yaml), `${processorPath}.batch.exporter`)
testFaults(
  otlpFaults,
  (yaml) => formatDocument(`{otlp_http: {${yaml}}}`),
  `${processorPath}.batch.exporter.otlp_http.`,
)
testFaults(providerFaults, formatProviderDocument, 'tracer_provider.')

test.run()
