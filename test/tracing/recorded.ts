import * as assert from 'uvu/assert'
import type { Tracing } from '../../lib/tracing/tracing'
import { startCollector } from './collector'
import type { ReceivedSpan } from './otlp'
import { configure, type Stage, traceWith } from './stage'

export const traceId = '0af7651916cd43dd8448eb211c80319c'
export const parentId = 'b7ad6b7169203331'
export const sampled = `00-${traceId}-${parentId}-01`
export const unsampled = `00-${traceId}-${parentId}-00`

/** Traces `use` with these lines in the configuration. Returns the spans that a collector received. */
export const recordSpans = async (
  use: (tracing: Tracing) => void,
  options: {
    readonly provider?: string
    readonly document?: string
    readonly env?: Readonly<Record<string, string>>
    readonly files?: Readonly<Record<string, string>>
    readonly secrets?: ReadonlyArray<string>
  } = {},
): Promise<ReadonlyArray<ReceivedSpan>> => {
  const collector = await startCollector()
  const processors = `processors: [{batch: {exporter: {otlp_http: {endpoint: "${collector.url}"}}}}]`
  const provider = `tracer_provider: {${processors}${options.provider ? `, ${options.provider}` : ''}}`
  const text = `file_format: "1.0"\n${provider}\n${options.document ?? ''}`
  const on: Stage = configure(text, { env: options.env, files: options.files })
  const tracing = await traceWith(on, { secrets: options.secrets })
  use(tracing)
  await tracing.shutdown()
  await collector.close()
  assert.is(on.stderr(), '')
  return collector.spans()
}
