import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, startCollector } from '../tracing/collector'
import { askArgs, closeFakeService, runWithService } from './run-with-service'

const test = suite('bundle/collectors')

test.after(closeFakeService)

/** Collectors that are slow or fail, and the last line of stderr. */
const slowOrFailingCollectors: ReadonlyArray<
  readonly [title: string, answer: Answer, stderr: RegExp]
> = [
  ['never answers', () => undefined, /: export to .*: not finished within 5000 ms\n$/],
  [
    'sends a byte from time to time, but never ends its response',
    (response) => {
      response.writeHead(500)
      const timer = setInterval(() => response.write('x'), 50)
      response.on('close', () => clearInterval(timer))
    },
    /: export to .*: not finished within 5000 ms\n$/,
  ],
  [
    'is always busy',
    (response) => response.writeHead(503).end(),
    /: (export to .*: )?not finished within 5000 ms\n$/,
  ],
  ['answers after a second', (response) => setTimeout(() => response.end(), 1_000), /^$/],
]

test('a slow or failing collector changes neither stdout nor the exit code, and svc disconnects from it', async () => {
  // At once, since some of these take the 5 s for which svc delays its exit.
  const runs = slowOrFailingCollectors.map(async ([title, answer, expectedStderr]) => {
    const collector = await startCollector(answer)
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    const { stdout, stderr, code } = await runWithService(askArgs, env)
    await collector.quiet()
    await collector.close()
    assert.is(code, 0, title)
    assert.is(JSON.parse(stdout).model, 'svc-1.13.0', title)
    assert.match(stderr, expectedStderr, title)
  })
  await Promise.all(runs)
})

test('a collector that is down only adds a line on stderr', async () => {
  const collector = await startCollector()
  await collector.close()
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  const { stdout, stderr, code } = await runWithService(askArgs, env)
  assert.is(code, 0)
  assert.is(JSON.parse(stdout).model, 'svc-1.13.0')
  assert.match(stderr, /^svc: tracing shutdown: export to .*: connect ECONNREFUSED .*\n$/)
})

test.run()
