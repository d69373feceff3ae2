import * as assert from 'uvu/assert'
import { type Answer, type Collector, startCollector } from './collector'
import { type Stage, traceWith } from './stage'

/** A document with one processor and this exporter. */
export const documentOf = (exporter: string, processor = 'batch') =>
  `file_format: "1.0"\ntracer_provider: {processors: [{${processor}: {exporter: ${exporter}}}]}`

/** Records and exports one span. Returns stderr. */
export const sendOneSpan = async (on: Stage): Promise<string> => {
  const tracing = await traceWith(on)
  tracing.tracer.start('svc.ask', { client: true, attributes: { a: 1 } }).end()
  await tracing.shutdown()
  assert.is(on.stdout(), '')
  return on.stderr()
}

/** Runs `use` with a collector. Fails if a client still has a connection to it at the end. */
export const withCollector = async (
  answer: Answer | undefined,
  use: (collector: Collector) => Promise<void>,
): Promise<void> => {
  const collector = await startCollector(answer)
  try {
    await use(collector)
    await collector.quiet()
  } finally {
    await collector.close()
  }
}
