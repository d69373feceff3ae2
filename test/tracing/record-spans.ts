import * as assert from 'uvu/assert'
import type { Tracing } from '../../lib/runtime/tracer'
import { startCollector } from './collector'
import type { ReceivedSpan } from './decode-spans'
import { createRunWithConfig, openTestTracing } from './tracing-run'

/** The id of a caller's trace, from the examples of W3C Trace Context. */
export const traceId = '0af7651916cd43dd8448eb211c80319c'
/** The id of the caller's span in this trace. */
export const parentId = 'b7ad6b7169203331'
/** The header `traceparent` of a caller that records its span. */
export const sampledParent = `00-${traceId}-${parentId}-01`
/** The header `traceparent` of a caller that does not record its span. */
export const unsampledParent = `00-${traceId}-${parentId}-00`

/** Calls `use` with tracing, and ends tracing. Returns the spans that a collector received. Asserts that svc prints nothing on stderr. */
export const recordSpans = async (
  use: (tracing: Tracing) => void,
  options: {
    /** One more line of YAML under `tracer_provider`, such as `sampler: {always_on: }`. */
    readonly providerYaml?: string
    /** More top-level lines of the OpenTelemetry configuration. */
    readonly documentYaml?: string
    readonly env?: Readonly<Record<string, string>>
    /** API keys that svc redacts. */
    readonly secrets?: ReadonlyArray<string>
  } = {},
): Promise<ReadonlyArray<ReceivedSpan>> => {
  const collector = await startCollector()
  const text = `
file_format: "1.0"
tracer_provider:
  processors: [{batch: {exporter: {otlp_http: {endpoint: "${collector.url}"}}}}]
  ${options.providerYaml ?? ''}
${options.documentYaml ?? ''}`
  const run = createRunWithConfig(text, { env: options.env })
  const tracing = await openTestTracing(run, { secrets: options.secrets })
  use(tracing)
  await tracing.shutdown()
  await collector.close()
  assert.is(run.stderr(), '')
  return collector.spans()
}
