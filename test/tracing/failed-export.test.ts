import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/until'
import type { Answer } from './collector'
import { documentOf, sendOneSpan, withCollector } from './exporting'
import { configure, traceWith } from './stage'

const test = suite('tracing/failed-export')

test('retries the statuses that the protocol names, and waits as requested', () =>
  withCollector(
    (response, index) => {
      if (index === 0) response.writeHead(503, { 'retry-after': '0' }).end()
      else if (index === 1) response.writeHead(429, { 'retry-after': '1' }).end()
      else if (index === 2) response.writeHead(502, { 'retry-after': '0' }).end()
      else response.end()
    },
    async (collector) => {
      const on = configure(documentOf(`{otlp_http: {endpoint: "${collector.url}"}}`, 'simple'))
      const waits: unknown[] = []
      const { setTimeout } = globalThis
      // The exporter waits by the global `setTimeout`.
      globalThis.setTimeout = ((run: () => void, ms: number) => {
        waits.push(ms)
        return setTimeout(run, ms === 1000 ? 0 : ms)
      }) as typeof setTimeout
      try {
        assert.is(await sendOneSpan(on), '')
      } finally {
        globalThis.setTimeout = setTimeout
      }
      assert.is(waits.filter((ms) => ms === 1000).length, 1)
      assert.is(collector.received.length, 4)
    },
  ))

test('retries a connection that breaks during a run', () =>
  withCollector(
    (response, index) => void (index === 0 ? response.destroy() : response.end()),
    async (collector) => {
      const on = configure(documentOf(`{otlp_http: {endpoint: "${collector.url}"}}`, 'simple'))
      const tracing = await traceWith(on)
      tracing.tracer.start('a', {}).end()
      await until(() => collector.received.length === 2)
      await tracing.shutdown()
      assert.is(on.stderr(), '')
    },
  ))

/** A response of 10 bytes that breaks off after one. */
const cutShort =
  (status: number): Answer =>
  (response) => {
    response.writeHead(status, { 'content-length': '10' })
    response.write('x', () => response.destroy())
  }
const rejected = { partialSuccess: { rejectedSpans: '1', errorMessage: 'too old' } }

/** `message` matches stderr after the name of the collector. It is absent if the export succeeds. */
type Row = readonly [title: string, answer: Answer, settings: string, message?: RegExp]
const table: ReadonlyArray<Row> = [
  ...[400, 401, 404, 500, 301].map(
    (status): Row => [
      `does not retry after ${status}`,
      (response) => response.writeHead(status, { location: '/elsewhere' }).end('why'),
      '',
      new RegExp(`^${status} [\\w ]+$`),
    ],
  ),
  [
    'reports that a collector rejected spans',
    (response) => response.end(JSON.stringify(rejected)),
    ', encoding: json',
    /^spans rejected: 1, too old$/,
  ],
  ['accepts a 200 response with any body', (response) => response.end('<html>\u0000'), ''],
  ['accepts a 200 response whose body breaks off', cutShort(200), ''],
  ['reports a 400 response whose body breaks off', cutShort(400), '', /./],
  [
    'does not retry if the requested wait is longer than the timeout',
    (response) => response.writeHead(503, { 'retry-after': '60' }).end(),
    '',
    /^Export failed with retryable status$/,
  ],
  [
    'cuts a long text of the collector',
    (response) => response.writeHead(500, 'x'.repeat(2_000)).end(),
    '',
    /^.{1,299}$/,
  ],
]

for (const [title, answer, settings, message] of table)
  test(title, () =>
    withCollector(answer, async (collector) => {
      const exporter = `{otlp_http: {endpoint: "${collector.url}/p?key=1"${settings}}}`
      const stderr = await sendOneSpan(configure(documentOf(exporter)))
      const start = `svc: tracing shutdown: export to ${collector.url}/p: `
      if (message === undefined) assert.is(stderr, '')
      else {
        assert.ok(stderr.startsWith(start) && stderr.endsWith('\n'), stderr)
        assert.match(stderr.slice(start.length, -1), message)
      }
      assert.is(collector.received.length, 1)
    }),
  )

test('redacts secrets in the address of a collector', () =>
  withCollector(
    (response) => response.writeHead(403).end(),
    async (collector) => {
      const document = documentOf(`{otlp_http: {endpoint: "${collector.url}/$\{TOKEN}/traces"}}`)
      const on = configure(document, { env: { TOKEN: 't0ken-value' } })
      assert.match(await sendOneSpan(on), /\/\[redacted\]\/traces: 403 Forbidden\n$/)
      assert.is(collector.received[0]?.path, '/t0ken-value/traces')
    },
  ))

test.run()
