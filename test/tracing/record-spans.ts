import * as assert from 'uvu/assert'
import type { Tracing } from '../../lib/tracing/tracing'
import { startCollector } from './collector'
import type { ReceivedSpan } from './decode-spans'
import { createRunWithConfig, openTestTracing } from './tracing-run'

export const traceId = '0af7651916cd43dd8448eb211c80319c'
export const parentId = 'b7ad6b7169203331'
/** `traceparent` of a span that is recorded, and of one that is not. */
export const sampledParent = `00-${traceId}-${parentId}-01`
export const unsampledParent = `00-${traceId}-${parentId}-00`

/** Calls `use` with tracing. Returns the spans that a collector received. `provider` and `document` are YAML for the configuration. */
export const recordSpans = async (
  use: (tracing: Tracing) => void,
  options: {
    /** Further members of `tracer_provider`. */
    readonly provider?: string
    /** Further lines of the document. */
    readonly document?: string
    readonly env?: Readonly<Record<string, string>>
    readonly secrets?: ReadonlyArray<string>
  } = {},
): Promise<ReadonlyArray<ReceivedSpan>> => {
  const collector = await startCollector()
  const processors = `processors: [{batch: {exporter: {otlp_http: {endpoint: "${collector.url}"}}}}]`
  const members = options.provider ? `${processors}, ${options.provider}` : processors
  const text = `file_format: "1.0"\ntracer_provider: {${members}}\n${options.document ?? ''}`
  const run = createRunWithConfig(text, { env: options.env })
  const tracing = await openTestTracing(run, { secrets: options.secrets })
  use(tracing)
  await tracing.shutdown()
  await collector.close()
  assert.is(run.stderr(), '')
  return collector.spans()
}
