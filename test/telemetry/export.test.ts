import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bounds } from '../../lib/telemetry/tracing'
import { type Answer, type Collector, startCollector } from './collector'
import { configured, handClock, type Stage, stage, traced } from './stage'

const test = suite('telemetry/export')

const yaml = (exporter: string, processor = 'batch') =>
  `file_format: "1.0"\ntracer_provider: {processors: [{${processor}: {exporter: ${exporter}}}]}`

/** Runs one span through a stage and ends it; gives what stderr says. */
const oneSpan = async (on: Stage): Promise<string> => {
  const tracing = await traced(on)
  tracing.tracer.start('svc.ask', { client: true, attributes: { a: 1 } }).end()
  await tracing.shutdown()
  assert.is(on.stdout(), '')
  return on.stderr()
}

const withCollector = async (
  answer: Answer | undefined,
  use: (collector: Collector) => Promise<void>,
): Promise<void> => {
  const collector = await startCollector(answer)
  try {
    await use(collector)
    await collector.idle()
  } finally {
    await collector.close()
  }
}

test('the built configuration sends protobuf to /v1/traces with the team key', () =>
  withCollector(undefined, async (collector) => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      TRACING_API_KEY: 'team-key-1',
      OTEL_SERVICE_NAME: 'checkout',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-other=1',
      OTEL_RESOURCE_ATTRIBUTES: 'other=1',
    }
    assert.is(await oneSpan(stage({ env })), '')
    const [request] = collector.received
    assert.is(request?.path, '/v1/traces')
    assert.is(request?.headers['content-type'], 'application/x-protobuf')
    assert.is(request?.headers['x-tracing-team'], 'team-key-1')
    assert.is(request?.headers['user-agent'], 'svc/1.2.3')
    assert.is(request?.headers['x-other'], undefined)
    const [span] = collector.spans()
    assert.is(span?.name, 'svc.ask')
    assert.is(span?.kind, 3)
    assert.equal(span?.attributes, { a: 1 })
    assert.equal(span?.scope, { name: 'svc', version: '1.2.3' })
    assert.is(span?.resource['service.name'], 'checkout')
    assert.is(span?.resource.other, undefined)
    assert.ok(span && span.end >= span.start)
  }))

test('the service is svc unless named, and no header is sent without a key', () =>
  withCollector(undefined, async (collector) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/v1/traces`, OTEL_SERVICE_NAME: '' }
    assert.is(await oneSpan(stage({ env })), '')
    assert.is(collector.received[0]?.path, '/v1/traces')
    assert.is(collector.received[0]?.headers['x-tracing-team'], undefined)
    assert.is(collector.spans()[0]?.resource['service.name'], 'svc')
  }))

for (const processor of ['batch', 'simple']) {
  for (const encoding of ['json', 'protobuf']) {
    for (const compression of ['none', 'gzip']) {
      test(`${processor}, ${encoding}, ${compression}`, () =>
        withCollector(undefined, async (collector) => {
          const exporter = `{otlp_http: {endpoint: "${collector.url}/x?y=1", encoding: ${encoding}, compression: ${compression}, headers: [{name: api-key, value: "k\u00e9y"}], headers_list: "b=1%202"}}`
          assert.is(await oneSpan(configured(yaml(exporter, processor))), '')
          const [request] = collector.received
          assert.is(request?.path, '/x?y=1')
          assert.is(
            request?.headers['content-encoding'],
            compression === 'gzip' ? 'gzip' : undefined,
          )
          assert.match(
            request?.headers['content-type'] ?? '',
            encoding === 'json' ? /json/ : /protobuf/,
          )
          assert.is(request?.headers['api-key'], 'k\u00e9y')
          assert.is(request?.headers.b, '1 2')
          assert.equal(
            collector.spans().map((span) => [span.name, span.attributes]),
            [['svc.ask', { a: 1 }]],
          )
        }))
    }
  }
}

test('a batch is sent in parts of max_export_batch_size, and the queue has an end', () =>
  withCollector(undefined, async (collector) => {
    const document = `file_format: "1.0"\ntracer_provider: {processors: [{batch: {max_queue_size: 5, max_export_batch_size: 5, exporter: {otlp_http: {endpoint: "${collector.url}"}}}}]}`
    const tracing = await traced(configured(document))
    for (let i = 0; i < 4; i++) tracing.tracer.start(`s${i}`, {}).end()
    await tracing.shutdown()
    assert.is(collector.spans().length, 4)
  }))

test('retries what the protocol says, waiting as asked or with a growing pause', () =>
  withCollector(
    (response, index) => {
      if (index === 0) response.writeHead(503).end()
      else if (index === 1) response.writeHead(429, { 'retry-after': '3' }).end()
      else if (index === 2) response.destroy()
      else response.end()
    },
    async (collector) => {
      const clock = handClock()
      const on = configured(yaml(`{otlp_http: {endpoint: "${collector.url}"}}`, 'simple'), {
        clock,
      })
      const tracing = await traced(on)
      tracing.tracer.start('a', {}).end()
      while (collector.received.length < 4) await new Promise((resolve) => setImmediate(resolve))
      await tracing.shutdown()
      assert.is(on.stderr(), '')
      assert.equal(clock.slept, [1000, 3000, 2250])
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
      assert.match(await oneSpan(on), /the collector rejected 1 spans: too old\n$/)
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

test('a request larger than max_request_size is not sent', () =>
  withCollector(undefined, async (collector) => {
    const exporter = `{otlp_http: {endpoint: "${collector.url}", max_request_size: 10}}`
    assert.match(await oneSpan(configured(yaml(exporter))), /: the request is too large\n$/)
    assert.is(collector.received.length, 0)
  }))

test('limits longer than a timer are none', () =>
  withCollector(undefined, async (collector) => {
    const exporter = `{otlp_http: {endpoint: "${collector.url}", timeout: 99999999999}}`
    const document = yaml(exporter).replace('exporter:', 'export_timeout: 99999999999, exporter:')
    assert.is(await oneSpan(configured(document)), '')
    assert.is(collector.spans().length, 1)
  }))

test('a collector that is down is reported at once, with no retry at the end', async () => {
  const { url, close } = await startCollector()
  await close()
  const clock = handClock()
  const on = stage({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: url }, clock })
  const refused = `svc: tracing shutdown: export to ${url}/v1/traces: connect ECONNREFUSED`
  assert.ok((await oneSpan(on)).startsWith(refused), on.stderr())
  assert.equal(clock.slept, [])
})

/** Ways in which a collector never comes to an end. */
const slow: ReadonlyArray<readonly [title: string, answer: Answer]> = [
  ['never answers', () => undefined],
  ['sends headers and no end', (response) => response.writeHead(200).write('x')],
  [
    'sends a byte now and then',
    (response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write('x'), 5)
      response.on('close', () => clearInterval(drip))
    },
  ],
]

for (const [title, answer] of slow) {
  for (const processor of ['batch', 'simple']) {
    test(`the end is bounded where a collector ${title} (${processor}): no socket is left`, () =>
      withCollector(answer, async (collector) => {
        const clock = handClock()
        const exporter = `{otlp_http: {endpoint: "${collector.url}", timeout: 0}}`
        const on = configured(yaml(exporter, processor), { clock })
        const tracing = await traced(on)
        tracing.tracer.start('a', {}).end()
        const ended = tracing.shutdown()
        await collector.asked()
        clock.fire(bounds.finished)
        await ended
        assert.is(
          on.stderr(),
          `svc: tracing shutdown: export to ${collector.url}/: not finished within 5000 ms\n`,
        )
      }))
  }
}

test("an exporter's own timeout ends an attempt and what follows it", () =>
  withCollector(
    () => undefined,
    async (collector) => {
      const clock = handClock()
      const exporter = `{otlp_http: {endpoint: "${collector.url}", timeout: 700}}`
      const on = configured(yaml(exporter, 'simple'), { clock })
      const tracing = await traced(on)
      tracing.tracer.start('a', {}).end()
      await collector.asked()
      clock.fire(700)
      await collector.idle()
      await tracing.shutdown()
      assert.match(on.stderr(), /: no answer within 700 ms\n$/)
    },
  ))

test('a wait that would pass the bound is not begun', () =>
  withCollector(
    (response) => response.writeHead(503, { 'retry-after': '60' }).end(),
    async (collector) => {
      const clock = handClock()
      const on = stage({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, clock })
      assert.match(await oneSpan(on), /: 503 Service Unavailable\n$/)
      assert.equal(clock.slept, [])
    },
  ))

test('an interrupted run waits less', () =>
  withCollector(
    () => undefined,
    async (collector) => {
      const clock = handClock()
      const on = stage({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, clock })
      const runtime = { ...on.runtime, signal: AbortSignal.abort() }
      const tracing = await traced({ ...on, runtime })
      tracing.tracer.start('a', {}).end()
      const ended = tracing.shutdown()
      await collector.asked()
      clock.fire(bounds.interrupted)
      await ended
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

test('the console exporter writes one line a span to stderr', async () => {
  const on = configured(yaml('{console: }', 'simple'))
  const tracing = await traced(on)
  const first = tracing.tracer.start('first', { client: true })
  tracing.tracer.start('second', { parent: first, attributes: { text: 'a\nb\u0085' } }).end()
  first.end({ kind: 'server', message: 'broken' })
  await tracing.shutdown()
  const lines = on.stderr().trim().split('\n')
  assert.is(lines.length, 2)
  const [second, one] = lines.map((line) => JSON.parse(line.replace('\\x85', '')))
  assert.is(second.attributes.text, 'a\nb')
  assert.is(second.parentSpanId, one.spanId)
  assert.equal(one.status, { code: 2, message: 'broken' })
  assert.is(one.kind, 'CLIENT')
})

test('goes through a proxy of the environment, and names its refusal', () =>
  withCollector(undefined, async (collector) => {
    const asked: string[] = []
    const proxy = createServer()
    proxy.on('connect', (request, client) => {
      asked.push(request.url ?? '')
      if (asked.length > 1) {
        client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
        return
      }
      const upstream = connect(Number(new URL(collector.url).port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        upstream.pipe(client).pipe(upstream)
      })
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const { port } = proxy.address() as AddressInfo
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318',
      HTTP_PROXY: `http://user:secret@127.0.0.1:${port}`,
    }
    process.env.HTTP_PROXY = env.HTTP_PROXY
    assert.is(await oneSpan(stage({ env })), '')
    const refused = await oneSpan(stage({ env }))
    delete process.env.HTTP_PROXY
    proxy.close()
    assert.equal(asked, ['collector.test:4318', 'collector.test:4318'])
    assert.is(collector.spans().length, 1)
    const where = 'http://collector.test:4318/v1/traces'
    assert.is(refused, `svc: tracing shutdown: export to ${where}: the proxy answered 407\n`)
  }))

test.run()
