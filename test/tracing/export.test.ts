import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { acceptAll } from './collector'
import { spanKind } from './decode-spans'
import { formatDocument } from './documents'
import { sendOneSpan, withCollector } from './send-span'
import { createRun, createRunWithConfig, openTestTracing } from './tracing-run'

const test = suite('tracing/export')

test('sends protobuf to /v1/traces if there is no configuration file', () =>
  withCollector(acceptAll, async (collector) => {
    await sendOneSpan(createRun({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` } }))
    const [request] = collector.receivedExports
    assert.is(request?.path, '/v1/traces')
    assert.is(request?.headers['content-type'], 'application/x-protobuf')
    assert.match(request?.headers['user-agent'] ?? '', /^svc\/1\.2\.3 OTel-OTLP-Exporter-/)
  }))

test('sends the name, kind, times and attributes of a span, with the version of svc', () =>
  withCollector(acceptAll, async (collector) => {
    await sendOneSpan(createRun({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } }))
    const [span] = collector.spans()
    assert.is(span?.name, 'svc.ask')
    assert.is(span?.kind, spanKind.client)
    assert.ok(span && span.end >= span.start)
    assert.equal(span?.attributes, { a: 1 })
    assert.equal(span?.scope, { name: 'svc', version: '1.2.3' })
  }))

test('sends TRACING_API_KEY as a header', () =>
  withCollector(acceptAll, async (collector) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRACING_API_KEY: 'team-key-1' }
    await sendOneSpan(createRun({ env }))
    assert.is(collector.receivedExports[0]?.headers['x-tracing-team'], 'team-key-1')
  }))

test('sends no team header without TRACING_API_KEY', () =>
  withCollector(acceptAll, async (collector) => {
    await sendOneSpan(createRun({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } }))
    assert.is(collector.receivedExports[0]?.headers['x-tracing-team'], undefined)
  }))

test('describes the sender by variables. OTEL_SERVICE_NAME overrides OTEL_RESOURCE_ATTRIBUTES', () =>
  withCollector(acceptAll, async (collector) => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: 'checkout',
      OTEL_RESOURCE_ATTRIBUTES: 'team=a%20b,service.name=other',
    }
    await sendOneSpan(createRun({ env }))
    const [span] = collector.spans()
    assert.is(span?.resource['service.name'], 'checkout')
    assert.is(span?.resource.team, 'a b')
  }))

test('names the service svc by default', () =>
  withCollector(acceptAll, async (collector) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: '' }
    await sendOneSpan(createRun({ env }))
    assert.is(collector.spans()[0]?.resource['service.name'], 'svc')
  }))

test('does not repeat /v1/traces if the endpoint ends with it', () =>
  withCollector(acceptAll, async (collector) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/v1/traces` }
    await sendOneSpan(createRun({ env }))
    assert.is(collector.receivedExports[0]?.path, '/v1/traces')
  }))

test("ignores the environment variables of OpenTelemetry's SDK, and does not change them", () =>
  withCollector(acceptAll, async (collector) => {
    const variables = {
      OTEL_EXPORTER_OTLP_HEADERS: 'x-general=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-specific=1',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_TIMEOUT: '1',
      OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere',
      OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: '/nowhere',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '0',
      OTEL_TRACES_SAMPLER: 'always_off',
      OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '0',
      OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: '1',
      OTEL_BSP_MAX_QUEUE_SIZE: '0',
      OTEL_RESOURCE_ATTRIBUTES: 'other=1',
      OTEL_SERVICE_NAME: 'other',
    }
    const run = createRunWithConfig(formatDocument(`{otlp_http: {endpoint: "${collector.url}"}}`))
    // The SDK reads the environment of this process, not that of the run.
    Object.assign(process.env, variables)
    try {
      await sendOneSpan(run)
      for (const [name, value] of Object.entries(variables)) assert.is(process.env[name], value)
    } finally {
      for (const name of Object.keys(variables)) delete process.env[name]
    }
    const [request] = collector.receivedExports
    for (const name of ['x-general', 'x-specific', 'content-encoding']) {
      assert.is(request?.headers[name], undefined)
    }
    const [span] = collector.spans()
    assert.equal(span?.attributes, { a: 1 })
    assert.is(span?.resource.other, undefined)
    assert.is.not(span?.resource['service.name'], 'other')
  }))

test('lets a document set the user agent', () =>
  withCollector(acceptAll, async (collector) => {
    const document = formatDocument(
      `{otlp_http: {endpoint: "${collector.url}", headers: [{name: User-Agent, value: ci/1}]}}`,
    )
    await sendOneSpan(createRunWithConfig(document))
    assert.match(
      collector.receivedExports[0]?.headers['user-agent'] ?? '',
      /^ci\/1 OTel-OTLP-Exporter-/,
    )
  }))

for (const encoding of ['json', 'protobuf']) {
  for (const compression of ['none', 'gzip']) {
    test(`exports with encoding ${encoding} and compression ${compression}`, () =>
      withCollector(acceptAll, async (collector) => {
        const document = formatDocument(`{
          otlp_http: {
            endpoint: "${collector.url}/x?y=1",
            encoding: ${encoding},
            compression: ${compression},
            headers: [{name: api-key, value: "k\u00e9y"}],
            headers_list: "b=1%202"
          }
        }`)
        await sendOneSpan(createRunWithConfig(document))
        const [request] = collector.receivedExports
        assert.is(request?.path, '/x?y=1')
        assert.is(request?.headers['content-encoding'], compression === 'gzip' ? 'gzip' : undefined)
        assert.is(request?.headers['api-key'], 'k\u00e9y')
        assert.is(request?.headers.b, '1 2')
        if (encoding === 'json') {
          assert.is(request?.headers['content-type'], 'application/json')
          const json = JSON.stringify(request?.json)
          assert.match(json, /"name":"svc\.ask".*"key":"a".*"intValue":1/)
        } else {
          assert.is(request?.headers['content-type'], 'application/x-protobuf')
          assert.equal(collector.spans()[0]?.attributes, { a: 1 })
        }
      }))
  }
}

test('sends the spans of an incomplete batch at the shutdown', () =>
  withCollector(acceptAll, async (collector) => {
    const document = `
file_format: "1.0"
tracer_provider:
  processors:
    - batch:
        max_queue_size: 5
        max_export_batch_size: 5
        exporter: {otlp_http: {endpoint: "${collector.url}"}}`
    const tracing = await openTestTracing(createRunWithConfig(document))
    // One span less than a batch has.
    for (let i = 0; i < 4; i++) tracing.tracer.start(`s${i}`, {}).end()
    await tracing.shutdown()
    assert.is(collector.spans().length, 4)
  }))

test('drops no span of a simple processor while a collector is slow', () =>
  withCollector(
    (response) => setTimeout(() => response.end(), 50),
    async (collector) => {
      const run = createRunWithConfig(
        formatDocument(`{otlp_http: {endpoint: "${collector.url}"}}`, 'simple'),
      )
      const tracing = await openTestTracing(run)
      // Each span is an export. OpenTelemetry's exporter allows 30 at a time by default.
      for (let i = 0; i < 40; i++) tracing.tracer.start(`s${i}`, {}).end()
      await tracing.shutdown()
      assert.is(run.stderr(), '')
      assert.is(collector.spans().length, 40)
    },
  ))

test('accepts time limits that are longer than a Node timer', () =>
  withCollector(acceptAll, async (collector) => {
    // This is more than three years in milliseconds. A timer takes at most 24.8 days.
    const document = `
file_format: "1.0"
tracer_provider:
  processors:
    - batch:
        export_timeout: 99999999999
        exporter: {otlp_http: {endpoint: "${collector.url}", timeout: 99999999999}}`
    await sendOneSpan(createRunWithConfig(document))
    assert.is(collector.spans().length, 1)
  }))

test.run()
