import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bounds } from '../../lib/telemetry/tracing'
import { type Answer, startCollector } from './collector'
import { oneSpan, withCollector, yaml } from './exporting'
import { configured, handClock, stage, traced } from './stage'

const test = suite('telemetry/end')

test('a collector that is down is reported', async () => {
  const { url, close } = await startCollector()
  await close()
  const on = stage({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } })
  const refused = `svc: tracing shutdown: export to ${url}/v1/traces: connect ECONNREFUSED`
  assert.ok((await oneSpan(on)).startsWith(refused), on.stderr())
})

test('a connection that breaks at the end is not tried again', () =>
  withCollector(
    (response) => response.destroy(),
    async (collector) => {
      const on = stage({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
      assert.match(await oneSpan(on), /: socket hang up\n$/)
      assert.is(collector.received.length, 1)
    },
  ))

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

for (const [title, answer] of slow) {
  test(`an exporter's own timeout holds where a collector ${title}`, () =>
    withCollector(answer, async (collector) => {
      const exporter = `{otlp_http: {endpoint: "${collector.url}", timeout: 100}}`
      const on = configured(yaml(exporter, 'simple'))
      const tracing = await traced(on)
      tracing.tracer.start('a', {}).end()
      await collector.asked()
      await collector.idle()
      await tracing.shutdown()
      if (title === 'never answers') {
        assert.match(on.stderr(), /: (no answer within 100 ms|Request timed out)\n$/)
      }
    }))
}

test('the end is bounded where an export waits for its next attempt', () =>
  withCollector(
    (response) => response.writeHead(503, { 'retry-after': '2' }).end(),
    async (collector) => {
      const clock = handClock()
      const on = stage({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, clock })
      const tracing = await traced(on)
      tracing.tracer.start('a', {}).end()
      const ended = tracing.shutdown()
      await collector.asked()
      await collector.idle()
      await new Promise((resolve) => setTimeout(resolve, 100))
      clock.fire(bounds.finished)
      await ended
      assert.is(on.stderr(), 'svc: tracing shutdown: not finished within 5000 ms\n')
      await new Promise((resolve) => setTimeout(resolve, 2_300))
      assert.is(collector.received.length, 1, 'no request begins after the end')
    },
  ))

test('one collector that fails does not cut another short', () =>
  withCollector(
    (response) => setTimeout(() => response.end(), 200),
    async (collector) => {
      const dead = await startCollector()
      await dead.close()
      const processors = [dead, collector].map(
        ({ url }) => `{batch: {exporter: {otlp_http: {endpoint: "${url}"}}}}`,
      )
      const on = configured(
        `file_format: "1.0"\ntracer_provider: {processors: [${processors.join(', ')}]}`,
      )
      assert.match(await oneSpan(on), /ECONNREFUSED/)
      assert.is(collector.spans().length, 1)
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

test.run()
