import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { recordSpans, sampledParent, traceId, unsampledParent } from './record-spans'
import { createRunWithConfig, openTestTracing } from './tracing-run'

const test = suite('tracing/provider')

/** A sampler, and whether it records three spans: one without a parent, and one with each kind of parent. */
interface SamplerCase {
  /** A member of `tracer_provider`, in YAML. Absent for the default sampler. */
  readonly sampler?: string
  readonly withoutParent: boolean
  readonly withSampledParent: boolean
  readonly withUnsampledParent: boolean
}

const samplerCases: ReadonlyArray<SamplerCase> = [
  { withoutParent: true, withSampledParent: true, withUnsampledParent: false },
  {
    sampler: 'sampler: {always_on: }',
    withoutParent: true,
    withSampledParent: true,
    withUnsampledParent: true,
  },
  {
    sampler: 'sampler: {always_off: }',
    withoutParent: false,
    withSampledParent: false,
    withUnsampledParent: false,
  },
  {
    sampler: 'sampler: {trace_id_ratio_based: {ratio: 0}}',
    withoutParent: false,
    withSampledParent: false,
    withUnsampledParent: false,
  },
  {
    sampler: 'sampler: {trace_id_ratio_based: }',
    withoutParent: true,
    withSampledParent: true,
    withUnsampledParent: true,
  },
  {
    sampler: 'sampler: {parent_based: {root: {always_off: }}}',
    withoutParent: false,
    withSampledParent: true,
    withUnsampledParent: false,
  },
  {
    sampler: 'sampler: {parent_based: {remote_parent_sampled: {always_off: }}}',
    withoutParent: true,
    withSampledParent: false,
    withUnsampledParent: false,
  },
  {
    sampler: 'sampler: {parent_based: {remote_parent_not_sampled: {always_on: }}}',
    withoutParent: true,
    withSampledParent: true,
    withUnsampledParent: true,
  },
]

/** Returns `true` if a span is recorded. `traceparent` names its parent. `''` stands for no parent. */
const isRecorded = async (sampler: string | undefined, traceparent: string): Promise<boolean> => {
  const spans = await recordSpans(({ tracer }) => tracer.start('a', {}).end(), {
    providerYaml: sampler ?? '',
    env: { TRACEPARENT: traceparent },
  })
  return spans.length === 1
}

for (const { sampler, ...expected } of samplerCases) {
  test(`samples with ${sampler ?? 'the default sampler'}`, async () => {
    assert.is(await isRecorded(sampler, ''), expected.withoutParent)
    assert.is(await isRecorded(sampler, sampledParent), expected.withSampledParent)
    assert.is(await isRecorded(sampler, unsampledParent), expected.withUnsampledParent)
  })
}

test('marks a trace that is not recorded as not recorded in the headers that it sends', async () => {
  let headers: Readonly<Record<string, string>> = {}
  await recordSpans(
    ({ tracer }) => {
      headers = tracer.start('a', {}).headers()
    },
    { env: { TRACEPARENT: unsampledParent } },
  )
  assert.match(headers.traceparent ?? '', new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
})

test('passes the parent on unchanged without a tracer_provider, and if tracing is disabled', async () => {
  for (const text of ['file_format: "1.0"', 'file_format: "1.0"\ndisabled: true']) {
    const run = createRunWithConfig(text, { env: { TRACEPARENT: sampledParent } })
    const tracing = await openTestTracing(run)
    const span = tracing.tracer.start('a', {})
    assert.equal(span.headers(), { traceparent: sampledParent })
    assert.equal(tracing.tracer.start('b', { parent: span }).headers(), {
      traceparent: sampledParent,
    })
    span.end({ kind: 'server', message: 'x' })
    await tracing.shutdown()
    assert.is(run.stderr(), '')
  }
})

test('limits attributes, events and links of spans', async () => {
  const [span] = await recordSpans(
    ({ tracer }) => {
      const linked = tracer.start('linked', {})
      const links = [linked, linked, linked]
      const started = tracer.start('a', { attributes: { a: 'abcdef', b: 'b', c: 'c' }, links })
      for (let i = 0; i < 3; i++) started.event('e', { a: 1, b: 2 })
      started.end()
    },
    {
      providerYaml: `limits: {
        attribute_count_limit: 2,
        event_count_limit: 1,
        link_count_limit: 2,
        event_attribute_count_limit: 1
      }`,
      // The provider's `attribute_count_limit` overrides this one.
      documentYaml: 'attribute_limits: {attribute_value_length_limit: 3, attribute_count_limit: 1}',
    },
  )
  assert.equal(span?.attributes, { a: 'abc', b: 'b' })
  assert.equal(span?.events, [{ name: 'e', attributes: { a: 1 } }])
  assert.is(span?.links.length, 2)
})

test('sends resource attributes of every type. Those in attributes override those in attributes_list', async () => {
  const [span] = await recordSpans(({ tracer }) => tracer.start('a', {}).end(), {
    documentYaml: `resource:
  schema_url: https://example.test/schema
  attributes_list: "service.name=listed,team=a%20b"
  attributes:
    - {name: service.name, value: named}
    - {name: left.out, value: }
    - {name: bool, value: true, type: bool}
    - {name: int, value: 7, type: int}
    - {name: double, value: 1.5, type: double}
    - {name: strings, value: [a, b], type: string_array}
    - {name: bools, value: [true, false], type: bool_array}
    - {name: ints, value: [1, 2], type: int_array}
    - {name: doubles, value: [1.5, 2.5], type: double_array}`,
  })
  // The version changes with every update of the SDK.
  const { 'telemetry.sdk.version': _, ...resource } = span?.resource ?? {}
  assert.equal(resource, {
    'service.name': 'named',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'opentelemetry',
    team: 'a b',
    bool: true,
    int: 7,
    double: 1.5,
    strings: ['a', 'b'],
    bools: [true, false],
    ints: [1, 2],
    doubles: [1.5, 2.5],
  })
  assert.is(span?.schemaUrl, 'https://example.test/schema')
})

test.run()
