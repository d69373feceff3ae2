import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, startCollector } from '../tracing/collector'
import { ask, closeService, run } from './traced'

const test = suite('bundle: collectors')

test.after(closeService)

/** Ways in which a collector is slow or down, and what stderr says then. */
const bad: ReadonlyArray<readonly [title: string, answer: Answer, line: RegExp]> = [
  ['never answers', () => undefined, /: export to .*: not finished within 5000 ms\n$/],
  [
    'sends a byte now and then',
    (response) => {
      response.writeHead(500)
      const drip = setInterval(() => response.write('x'), 50)
      response.on('close', () => clearInterval(drip))
    },
    /: export to .*: not finished within 5000 ms\n$/,
  ],
  [
    'is always busy',
    (response) => response.writeHead(503).end(),
    /: (export to .*: )?not finished within 5000 ms\n$/,
  ],
  ['refuses', (response) => response.writeHead(403).end(), /: export to .*: 403 Forbidden\n$/],
  ['hangs up', (response) => response.destroy(), /: export to .*: socket hang up\n$/],
  ['takes its time', (response) => setTimeout(() => response.end(), 1_000), /^$/],
]

test('a bad collector costs neither output nor exit code, and is let go', async () => {
  const tried = bad.map(async ([title, answer, line]) => {
    const collector = await startCollector(answer)
    const { stdout, stderr, code } = await run(ask, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    await collector.quiet()
    await collector.close()
    assert.is(code, 0, title)
    assert.is(JSON.parse(stdout).model, 'svc-1.13.0', title)
    assert.match(stderr, line, title)
  })
  await Promise.all(tried)
})

test('a collector that is down costs nothing', async () => {
  const collector = await startCollector()
  await collector.close()
  const { stderr, code } = await run(ask, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  assert.is(code, 0)
  assert.match(stderr, /^svc: tracing shutdown: export to .*: connect ECONNREFUSED .*\n$/)
})

test.run()
