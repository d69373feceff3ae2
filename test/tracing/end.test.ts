import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { maxExitDelayMs } from '../../lib/tracing/start-tracing'
import { handClock } from '../support/clock'
import { until } from '../support/until'
import { startCollector } from './collector'
import { documentOf, sendOneSpan, withCollector } from './exporting'
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

for (const processor of ['batch', 'simple'])
  test(`delays the exit by at most 5 s if a collector never answers (${processor})`, async () => {
    const collector = await startCollector((response) => response.writeHead(200).write('x'))
    const clock = handClock()
    const document = documentOf(
      `{otlp_http: {endpoint: "${collector.url}", timeout: 0}}`,
      processor,
    )
    const on = configure(document, { clock })
    const tracing = await traceWith(on)
    tracing.tracer.start('a', {}).end()
    const ended = tracing.shutdown()
    await until(() => collector.received.length > 0)
    clock.pass(maxExitDelayMs.finished)
    await ended
    assert.is(
      on.stderr(),
      `svc: tracing shutdown: export to ${collector.url}/: not finished within 5000 ms\n`,
    )
    await collector.close()
  })

test('gives up an export after the timeout of its exporter', () =>
  withCollector(
    () => undefined,
    async (collector) => {
      const on = configure(
        documentOf(`{otlp_http: {endpoint: "${collector.url}", timeout: 100}}`, 'simple'),
      )
      assert.match(await sendOneSpan(on), /: Request timed out\n$/)
    },
  ))

test('exports to a collector if another one is down', () =>
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

test('delays the exit of an interrupted run by at most 80 ms', async () => {
  const collector = await startCollector(() => undefined)
  const clock = handClock()
  const on = stage({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, clock })
  const runtime = { ...on.runtime, signal: AbortSignal.abort() }
  const tracing = await traceWith({ ...on, runtime })
  tracing.tracer.start('a', {}).end()
  const ended = tracing.shutdown()
  await until(() => collector.received.length > 0)
  clock.pass(maxExitDelayMs.interrupted)
  await ended
  await collector.close()
})

test.run()
