import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { maxExitDelayMs } from '../../lib/tracing/start-tracing'
import { createManualClock } from '../support/clock'
import { until } from '../support/until'
import { type AnswerHandler, startCollector } from './collector'
import { formatDocument } from './documents'
import { sendSpanAndReadStderr, withCollector } from './send-span'
import { createRun, createRunWithConfig, openTestTracing } from './tracing-run'

const test = suite('tracing/shutdown')

/** Never answers a request. */
const neverAnswer: AnswerHandler = () => undefined

test('does not retry a connection that breaks while the run ends', () =>
  withCollector(
    (response) => response.destroy(),
    async (collector) => {
      const run = createRun({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
      assert.match(await sendSpanAndReadStderr(run), /: socket hang up\n$/)
      assert.is(collector.receivedExports.length, 1)
    },
  ))

for (const processor of ['batch', 'simple'] as const)
  test(`delays the exit by at most 5 s if a collector never finishes its response (${processor})`, async () => {
    const collector = await startCollector((response) => response.writeHead(200).write('x'))
    const clock = createManualClock()
    // The timeout 0 means no limit.
    const document = formatDocument(
      `{otlp_http: {endpoint: "${collector.url}", timeout: 0}}`,
      processor,
    )
    const run = createRunWithConfig(document, { clock })
    const tracing = await openTestTracing(run)
    tracing.tracer.start('a', {}).end()
    const shutdown = tracing.shutdown()
    await until(() => collector.receivedExports.length > 0)
    clock.advance(maxExitDelayMs.finished)
    await shutdown
    assert.is(
      run.stderr(),
      `svc: tracing shutdown: export to ${collector.url}/: not finished within 5000 ms\n`,
    )
    await collector.close()
  })

test('gives up an export after the timeout of its exporter', () =>
  withCollector(neverAnswer, async (collector) => {
    const run = createRunWithConfig(
      formatDocument(`{otlp_http: {endpoint: "${collector.url}", timeout: 100}}`, 'simple'),
    )
    assert.match(await sendSpanAndReadStderr(run), /: Request timed out\n$/)
  }))

test('exports to a collector even if another one is down', () =>
  withCollector(
    // Answers late, so that the export to the other collector fails first.
    (response) => setTimeout(() => response.end(), 200),
    async (collector) => {
      const stoppedCollector = await startCollector()
      await stoppedCollector.close()
      const processors = [stoppedCollector, collector].map(
        ({ url }) => `{batch: {exporter: {otlp_http: {endpoint: "${url}"}}}}`,
      )
      const run = createRunWithConfig(
        `file_format: "1.0"\ntracer_provider: {processors: [${processors.join(', ')}]}`,
      )
      assert.match(await sendSpanAndReadStderr(run), /ECONNREFUSED/)
      assert.is(collector.spans().length, 1)
    },
  ))

test('delays the exit of an interrupted run by at most 80 ms', async () => {
  const collector = await startCollector(neverAnswer)
  const clock = createManualClock()
  const run = createRun({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, clock })
  run.interrupt()
  const tracing = await openTestTracing(run)
  tracing.tracer.start('a', {}).end()
  const shutdown = tracing.shutdown()
  await until(() => collector.receivedExports.length > 0)
  assert.is(maxExitDelayMs.interrupted, 80)
  clock.advance(maxExitDelayMs.interrupted)
  // The manual clock stops here, so a longer delay would never end.
  await shutdown
  await collector.close()
})

test.run()
