import * as assert from 'uvu/assert'
import { type AnswerHandler, type Collector, startCollector } from './collector'
import { openTestTracing, type TracingRun } from './tracing-run'

/** Records and exports one span named `svc.ask` with the attribute `a`, which is 1. Asserts that svc prints nothing. */
export const sendOneSpan = async (run: TracingRun): Promise<void> => {
  assert.is(await sendSpanAndReadStderr(run), '')
}

/** Records and exports one span, like `sendOneSpan`. Asserts that stdout is empty. Returns stderr. */
export const sendSpanAndReadStderr = async (run: TracingRun): Promise<string> => {
  const tracing = await openTestTracing(run)
  tracing.tracer.start('svc.ask', { client: true, attributes: { a: 1 } }).end()
  await tracing.shutdown()
  assert.is(run.stdout(), '')
  return run.stderr()
}

/** Calls `use` with a collector, and stops the collector. Fails if a connection to it is still open after `use`. */
export const withCollector = async (
  answer: AnswerHandler,
  use: (collector: Collector) => Promise<void>,
): Promise<void> => {
  const collector = await startCollector(answer)
  try {
    await use(collector)
    await collector.waitUntilDisconnected()
  } finally {
    await collector.close()
  }
}
