import * as assert from 'uvu/assert'
import { type Answer, type Collector, startCollector } from './collector'
import { type Stage, traceWith } from './stage'

/** A document with one processor and this exporter. */
export const yaml = (exporter: string, processor = 'batch') =>
  `file_format: "1.0"\ntracer_provider: {processors: [{${processor}: {exporter: ${exporter}}}]}`

/** Runs one span through a stage and ends it; gives what stderr says. */
export const sendOneSpan = async (on: Stage): Promise<string> => {
  const tracing = await traceWith(on)
  tracing.tracer.start('svc.ask', { client: true, attributes: { a: 1 } }).end()
  await tracing.shutdown()
  assert.is(on.stdout(), '')
  return on.stderr()
}

/** Runs a collector; at the end no client may hold a connection to it. */
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
