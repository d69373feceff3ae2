import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AnswerHandler, startCollector } from '../tracing/collector'
import { askArgs, runWithService } from './run-with-service'

const test = suite('bundle/collectors')

/** A collector that is slow or fails. */
interface CollectorCase {
  readonly title: string
  readonly answer: AnswerHandler
  readonly expectedStderr: RegExp
}

const notFinished = /: export to .*: not finished within 5000 ms\n$/

const slowOrFailingCollectors: ReadonlyArray<CollectorCase> = [
  {
    title: 'never answers',
    answer: () => undefined,
    expectedStderr: notFinished,
  },
  {
    title: 'sends a byte every 50 ms, but never ends its response',
    answer: (response) => {
      response.writeHead(500)
      const timer = setInterval(() => response.write('x'), 50)
      response.on('close', () => clearInterval(timer))
    },
    expectedStderr: notFinished,
  },
  {
    title: 'is always busy',
    answer: (response) => response.writeHead(503).end(),
    expectedStderr: notFinished,
  },
  {
    title: 'answers late',
    answer: (response) => setTimeout(() => response.end(), 300),
    expectedStderr: /^$/,
  },
]

test('a slow or failing collector changes neither stdout nor the exit code, and svc disconnects from it', async () => {
  // The cases run at the same time, because svc delays its exit by 5 s in most of them.
  const runs = slowOrFailingCollectors.map(async ({ title, answer, expectedStderr }) => {
    const collector = await startCollector(answer)
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    const { stdout, stderr, code } = await runWithService(askArgs, { env })
    await collector.waitUntilDisconnected()
    await collector.close()
    assert.is(code, 0, title)
    assert.is(JSON.parse(stdout).model, 'svc-1.13.0', title)
    assert.match(stderr, expectedStderr, title)
  })
  await Promise.all(runs)
})

test.run()
