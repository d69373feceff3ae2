import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/until'
import type { Answer } from './collector'
import { oneSpan, withCollector, yaml } from './exporting'
import { configured, stage, traced } from './stage'

const test = suite('telemetry/failed-export')

test('tries again what the protocol says, and waits as asked', () =>
  withCollector(
    (response, index) => {
      if (index === 0) response.writeHead(503, { 'retry-after': '0' }).end()
      else if (index === 1) response.writeHead(429, { 'retry-after': '1' }).end()
      else if (index === 2) response.writeHead(502, { 'retry-after': '0' }).end()
      else response.end()
    },
    async (collector) => {
      const on = configured(yaml(`{otlp_http: {endpoint: "${collector.url}"}}`, 'simple'))
      const from = performance.now()
      assert.is(await oneSpan(on), '')
      assert.ok(performance.now() - from >= 990)
      assert.is(collector.received.length, 4)
    },
  ))

test('a connection that breaks during a run is tried again', () =>
  withCollector(
    (response, index) => void (index === 0 ? response.destroy() : response.end()),
    async (collector) => {
      const on = configured(yaml(`{otlp_http: {endpoint: "${collector.url}"}}`, 'simple'))
      const tracing = await traced(on)
      tracing.tracer.start('a', {}).end()
      await until(() => collector.received.length === 2)
      await tracing.shutdown()
      assert.is(on.stderr(), '')
    },
  ))

for (const status of [400, 401, 404, 500, 301]) {
  test(`does not retry ${status}, and reports it at the end`, () =>
    withCollector(
      (response) => response.writeHead(status, { location: '/elsewhere' }).end('why'),
      async (collector) => {
        const on = configured(yaml(`{otlp_http: {endpoint: "${collector.url}/p?key=1"}}`))
        assert.match(
          await oneSpan(on),
          new RegExp(`^svc: tracing shutdown: export to ${collector.url}/p: ${status} [\\w ]+\n$`),
        )
        assert.is(collector.received.length, 1)
      },
    ))
}

test('spans that the collector rejects are reported', () =>
  withCollector(
    (response) =>
      response.end(
        JSON.stringify({ partialSuccess: { rejectedSpans: '1', errorMessage: 'too old' } }),
      ),
    async (collector) => {
      const on = configured(yaml(`{otlp_http: {endpoint: "${collector.url}", encoding: json}}`))
      assert.is(
        await oneSpan(on),
        `svc: tracing shutdown: export to ${collector.url}/: spans rejected: 1, too old\n`,
      )
    },
  ))

test('an accepted export is accepted whatever the answer says', () =>
  withCollector(
    (response) => response.end('<html>\u0000'),
    async (collector) => {
      assert.is(await oneSpan(configured(yaml(`{otlp_http: {endpoint: "${collector.url}"}}`))), '')
    },
  ))

test('an answer cut short, or too large, is an answer all the same', async () => {
  const cut: Answer = (response) => {
    response.writeHead(200, { 'content-length': '10' })
    response.write('x', () => response.destroy())
  }
  const large: Answer = (response) => response.end(Buffer.alloc(2_000))
  for (const answer of [cut, large]) {
    await withCollector(answer, async (collector) => {
      const exporter = `{otlp_http: {endpoint: "${collector.url}", max_response_size: 1000}}`
      assert.is(await oneSpan(configured(yaml(exporter))), '')
    })
  }
})

for (const compression of ['none', 'gzip']) {
  test(`a request larger than max_request_size is not sent (${compression})`, () =>
    withCollector(undefined, async (collector) => {
      const exporter = `{otlp_http: {endpoint: "${collector.url}", compression: ${compression}, max_request_size: 10}}`
      assert.match(await oneSpan(configured(yaml(exporter))), /: the request is too large\n$/)
      assert.is(collector.received.length, 0)
    }))
}

test('a refusal cut short is a failure', () =>
  withCollector(
    (response) => {
      response.writeHead(400, { 'content-length': '10' })
      response.write('x', () => response.destroy())
    },
    async (collector) => {
      const on = stage({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
      assert.match(await oneSpan(on), /^svc: tracing shutdown: export to .*\n$/)
    },
  ))

test('a wait longer than the timeout is not begun', () =>
  withCollector(
    (response) => response.writeHead(503, { 'retry-after': '60' }).end(),
    async (collector) => {
      const on = stage({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
      assert.match(await oneSpan(on), /: Export failed with retryable status\n$/)
      assert.is(collector.received.length, 1)
    },
  ))

test('a secret of the address does not show in a failure', () =>
  withCollector(
    (response) => response.writeHead(403).end(),
    async (collector) => {
      const document = yaml(`{otlp_http: {endpoint: "${collector.url}/$\{TOKEN}/traces"}}`)
      const on = configured(document, { env: { TOKEN: 't0ken-value' } })
      assert.match(await oneSpan(on), /\/\[redacted\]\/traces: 403 Forbidden\n$/)
      assert.is(collector.received[0]?.path, '/t0ken-value/traces')
    },
  ))

test("a collector's text is shown in part", () =>
  withCollector(
    (response) => response.writeHead(500, 'x'.repeat(2_000)).end(),
    async (collector) => {
      const on = stage({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
      assert.ok((await oneSpan(on)).length < 350)
    },
  ))

test.run()
