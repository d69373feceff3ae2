import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bounds } from '../../lib/tracing/start-tracing'
import { handClock } from '../support/clock'
import { until } from '../support/until'
import { type Answer, startCollector } from './collector'
import { sendOneSpan, withCollector, yaml } from './exporting'
import { configure, stage, traceWith } from './stage'

const test = suite('tracing/end')

test('does not retry a connection that breaks at the end', () =>
  withCollector(
    (response) => response.destroy(),
    async (collector) => {
      const on = stage({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
      assert.match(await sendOneSpan(on), /: socket hang up\n$/)
      assert.is(collector.received.length, 1)
    },
  ))

/** Ways in which a collector never finishes. */
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

/** Begins the end of a run with one span, and lets the time for it pass once the collector was asked. */
const endLate = async (answer: Answer, document: (url: string) => string): Promise<void> => {
  const collector = await startCollector(answer)
  const clock = handClock()
  const on = configure(document(collector.url), { clock })
  const tracing = await traceWith(on)
  tracing.tracer.start('a', {}).end()
  const ended = tracing.shutdown()
  await until(() => collector.received.length > 0)
  clock.pass(bounds.finished)
  await ended
  assert.is(
    on.stderr(),
    `svc: tracing shutdown: export to ${collector.url}/: not finished within 5000 ms\n`,
  )
  await collector.close()
}

for (const [title, answer] of slow)
  for (const processor of ['batch', 'simple'])
    test(`the end is bounded where a collector ${title} (${processor})`, () =>
      endLate(answer, (url) => yaml(`{otlp_http: {endpoint: "${url}", timeout: 0}}`, processor)))

test('bounds the end while an export waits for its next attempt', () =>
  endLate(
    (response) => response.writeHead(503, { 'retry-after': '2' }).end(),
    (url) => yaml(`{otlp_http: {endpoint: "${url}"}}`),
  ))

test("an exporter's own timeout holds", () =>
  withCollector(
    () => undefined,
    async (collector) => {
      const on = configure(
        yaml(`{otlp_http: {endpoint: "${collector.url}", timeout: 100}}`, 'simple'),
      )
      assert.match(await sendOneSpan(on), /: Request timed out\n$/)
    },
  ))

test('a failing collector does not stop the export to another', () =>
  withCollector(
    (response) => setTimeout(() => response.end(), 200),
    async (collector) => {
      const dead = await startCollector()
      await dead.close()
      const processors = [dead, collector].map(
        ({ url }) => `{batch: {exporter: {otlp_http: {endpoint: "${url}"}}}}`,
      )
      const on = configure(
        `file_format: "1.0"\ntracer_provider: {processors: [${processors.join(', ')}]}`,
      )
      assert.match(await sendOneSpan(on), /ECONNREFUSED/)
      assert.is(collector.spans().length, 1)
    },
  ))

test('an interrupted run waits less', async () => {
  const collector = await startCollector(() => undefined)
  const clock = handClock()
  const on = stage({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, clock })
  const runtime = { ...on.runtime, signal: AbortSignal.abort() }
  const tracing = await traceWith({ ...on, runtime })
  tracing.tracer.start('a', {}).end()
  const ended = tracing.shutdown()
  await until(() => collector.received.length > 0)
  clock.pass(bounds.interrupted)
  await ended
  await collector.close()
})

test.run()
