import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { noSpan } from '../../lib/runtime/trace'
import type { Tracing } from '../../lib/telemetry/tracing'
import { startCollector } from './collector'
import type { ReceivedSpan } from './otlp'
import { configured, type Stage, stage, traced } from './stage'

const test = suite('telemetry/spans')

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentId = 'b7ad6b7169203331'
const sampled = `00-${traceId}-${parentId}-01`
const unsampled = `00-${traceId}-${parentId}-00`

/** What a collector gets of a run with these lines in its configuration. */
const run = async (
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
  const on: Stage = configured(text, { env: options.env, files: options.files })
  const tracing = await traced(on, { secrets: options.secrets })
  use(tracing)
  await tracing.shutdown()
  await collector.close()
  assert.is(on.stderr(), '')
  return collector.spans()
}

const byName = (spans: ReadonlyArray<ReceivedSpan>, name: string): ReceivedSpan => {
  const span = spans.find((one) => one.name === name)
  if (span === undefined) throw new Error(`no span ${name}`)
  return span
}

test('children, kinds, attributes, events and links', async () => {
  const spans = await run(({ tracer }) => {
    const call = tracer.start('svc.ask', {
      client: true,
      attributes: { text: 'a', left: undefined },
    })
    const first = tracer.start('POST', { parent: call, client: true })
    first.end({ kind: 'server', message: 'typesafe: broken' })
    const second = tracer.start('POST again', {
      parent: call,
      client: true,
      links: [first, noSpan],
    })
    second.event('waited', { ms: 5 })
    second.set({ 'http.response.status_code': 200, ratio: 0.5, ok: true })
    second.end()
    tracer.start('inner', { parent: call }).end()
    call.end()
  })
  const call = byName(spans, 'svc.ask')
  const first = byName(spans, 'POST')
  const second = byName(spans, 'POST again')
  assert.is(call.parentSpanId, '')
  assert.equal(call.attributes, { text: 'a' })
  assert.is(call.status.code, 0)
  for (const span of [first, second]) {
    assert.is(span.traceId, call.traceId)
    assert.is(span.parentSpanId, call.spanId)
    assert.is(span.kind, 3)
  }
  assert.is(byName(spans, 'inner').kind, 1)
  assert.equal(first.attributes, { 'error.type': 'server' })
  assert.equal(first.status, { code: 2, message: 'typesafe: broken' })
  assert.equal(first.events, [
    {
      name: 'exception',
      attributes: { 'exception.type': 'server', 'exception.message': 'typesafe: broken' },
    },
  ])
  assert.equal(second.links, [{ traceId: first.traceId, spanId: first.spanId }])
  assert.equal(second.events, [{ name: 'waited', attributes: { ms: 5 } }])
  assert.equal(second.attributes, { 'http.response.status_code': 200, ratio: 0.5, ok: true })
})

test('traceparent goes out with the span that sends it', async () => {
  let headers: Readonly<Record<string, string>> = {}
  const [span] = await run(({ tracer }) => {
    const started = tracer.start('a', {})
    headers = started.headers()
    started.end()
  })
  assert.equal(headers, { traceparent: `00-${span?.traceId}-${span?.spanId}-01` })
})

test('a parent in the environment is continued, tracestate included', async () => {
  let headers: Readonly<Record<string, string>> = {}
  const [span] = await run(
    ({ tracer }) => {
      const started = tracer.start('a', {})
      headers = started.headers()
      started.end()
    },
    { env: { TRACEPARENT: sampled, TRACESTATE: 'vendor=1', BAGGAGE: 'user=x' } },
  )
  assert.is(span?.traceId, traceId)
  assert.is(span?.parentSpanId, parentId)
  assert.is(span?.traceState, 'vendor=1')
  assert.equal(headers, {
    traceparent: `00-${traceId}-${span?.spanId}-01`,
    tracestate: 'vendor=1',
  })
})

test('an invalid parent starts a trace of its own', async () => {
  for (const TRACEPARENT of ['x', `00-${'0'.repeat(32)}-${parentId}-01`, `ff-${traceId}-1-01`]) {
    const [span] = await run(({ tracer }) => tracer.start('a', {}).end(), { env: { TRACEPARENT } })
    assert.is(span?.parentSpanId, '')
    assert.is.not(span?.traceId, traceId)
  }
})

test('a server span continues its caller, not the environment', async () => {
  const [span, own] = await run(
    ({ tracer }) => {
      tracer.start('served', { server: { traceparent: sampled } }).end()
      tracer.start('alone', { server: {} }).end()
    },
    { env: { TRACEPARENT: `00-${'1'.repeat(32)}-${parentId}-01` } },
  )
  assert.is(span?.kind, 2)
  assert.is(span?.traceId, traceId)
  assert.is(span?.parentSpanId, parentId)
  assert.is(own?.parentSpanId, '')
  assert.is.not(own?.traceId, '1'.repeat(32))
})

test('baggage travels where the document says so, and nothing does where it says none', async () => {
  const env = { TRACEPARENT: sampled, BAGGAGE: 'user=x' }
  const headersWith = async (propagator: string) => {
    let headers: Readonly<Record<string, string>> = {}
    await run(
      ({ tracer }) => {
        headers = tracer.start('a', {}).headers()
      },
      { env, document: `propagator: ${propagator}` },
    )
    return headers
  }
  assert.equal(await headersWith('{composite: [{baggage: }]}'), { baggage: 'user=x' })
  assert.equal(Object.keys(await headersWith('{composite_list: "baggage,tracecontext"}')).sort(), [
    'baggage',
    'traceparent',
  ])
  assert.equal(await headersWith('{composite_list: none}'), {})
})

const samplers: ReadonlyArray<
  readonly [sampler: string, root: boolean, continued: boolean, unsampled: boolean]
> = [
  ['', true, true, false],
  ['sampler: {always_on: }', true, true, true],
  ['sampler: {always_off: }', false, false, false],
  ['sampler: {trace_id_ratio_based: {ratio: 0}}', false, false, false],
  ['sampler: {trace_id_ratio_based: }', true, true, true],
  ['sampler: {parent_based: {root: {always_off: }}}', false, true, false],
  ['sampler: {parent_based: {remote_parent_sampled: {always_off: }}}', true, false, false],
  ['sampler: {parent_based: {remote_parent_not_sampled: {always_on: }}}', true, true, true],
  ['sampler: {always_record: {root: {always_off: }}}', false, false, false],
]

for (const [provider, ...expected] of samplers) {
  test(`sampler ${provider || 'left out'}`, async () => {
    const found: boolean[] = []
    for (const TRACEPARENT of ['', sampled, unsampled]) {
      const env = { TRACEPARENT }
      const spans = await run(({ tracer }) => tracer.start('a', {}).end(), { provider, env })
      found.push(spans.length === 1)
    }
    assert.equal(found, expected)
  })
}

test('a trace that is not sampled is passed on as such', async () => {
  let headers: Readonly<Record<string, string>> = {}
  await run(
    ({ tracer }) => {
      headers = tracer.start('a', {}).headers()
    },
    { env: { TRACEPARENT: unsampled } },
  )
  assert.match(headers.traceparent ?? '', new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
})

test('without a provider, and when disabled, the parent is passed on as it is', async () => {
  for (const text of ['file_format: "1.0"', 'file_format: "1.0"\ndisabled: true']) {
    const on = configured(text, { env: { TRACEPARENT: sampled } })
    const tracing = await traced(on)
    const span = tracing.tracer.start('a', {})
    assert.equal(span.headers(), { traceparent: sampled })
    assert.equal(tracing.tracer.start('b', { parent: span }).headers(), { traceparent: sampled })
    span.end({ kind: 'server', message: 'x' })
    await tracing.shutdown()
    assert.is(on.stderr(), '')
  }
})

test('span limits', async () => {
  const [span] = await run(
    ({ tracer }) => {
      const other = tracer.start('other', {})
      const links = [other, other, other]
      const full = tracer.start('a', { attributes: { a: 'abcdef', b: 'b', c: 'c' }, links })
      for (let i = 0; i < 3; i++) full.event('e', { a: 1, b: 2 })
      full.end()
    },
    {
      provider:
        'limits: {attribute_count_limit: 2, event_count_limit: 1, link_count_limit: 2, event_attribute_count_limit: 1}',
      document: 'attribute_limits: {attribute_value_length_limit: 3, attribute_count_limit: 1}',
    },
  )
  assert.equal(span?.attributes, { a: 'abc', b: 'b' })
  assert.equal(span?.events, [{ name: 'e', attributes: { a: 1 } }])
  assert.is(span?.links.length, 2)
})

test('resource attributes of every type; attributes go before the list', async () => {
  const [span] = await run(({ tracer }) => tracer.start('a', {}).end(), {
    document: `resource:
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

test('resource detectors; the arguments of the process never', async () => {
  const id = 'ab'.repeat(32)
  const [span] = await run(({ tracer }) => tracer.start('a', {}).end(), {
    env: { OTEL_SERVICE_NAME: 'detected' },
    files: { '/proc/self/cgroup': `1:name=x:/docker/${id}\n0::/\n` },
    document:
      'resource: {detection/development: {detectors: [{container: }, {host: }, {process: }, {service: }], attributes: {excluded: [host.id]}}}',
  })
  const found = Object.keys(span?.resource ?? {})
  const expected = ['host.name', 'host.arch', 'os.type', 'process.pid', 'process.runtime.name']
  for (const name of [...expected, 'service.instance.id']) assert.ok(found.includes(name), name)
  assert.is(span?.resource['container.id'], id)
  assert.is(span?.resource['service.name'], 'detected')
  assert.ok(!found.includes('process.command_args'))
  assert.ok(!found.includes('host.id'))
})

test('the container of cgroup version 2 is found in its mounts', async () => {
  const id = '0123456789abcdef'.repeat(4)
  const [span] = await run(({ tracer }) => tracer.start('a', {}).end(), {
    files: {
      '/proc/self/cgroup': '0::/\n',
      '/proc/self/mountinfo': `1 2 0:1 /var/lib/docker/containers/${id}/hostname /etc/hostname rw\n`,
    },
    document: 'resource: {detection/development: {detectors: [{container: }]}}',
  })
  assert.is(span?.resource['container.id'], id)
})

test('no key is in a span, wherever it came from', async () => {
  const secrets = ['flag-key-1']
  const env = { SERVICE_API_KEY: ' env-key-2 ', TRACING_API_KEY: 'team-key-3' }
  const [span] = await run(
    ({ tracer }) => {
      const message = 'you sent flag-key-1, env-key-2 and team-key-3'
      const call = tracer.start('a', { attributes: { one: message } })
      call.set({ two: message })
      call.event('e', { three: message })
      call.end({ kind: 'request', message })
    },
    { env, secrets },
  )
  const text = JSON.stringify(span, (_key, value) => (typeof value === 'bigint' ? '' : value))
  assert.not.match(text, /-key-/)
  assert.is(span?.attributes.two, 'you sent [redacted], [redacted] and [redacted]')
})

test("log_level shows the SDK's own messages, one line each", async () => {
  const on = configured(
    'file_format: "1.0"\nlog_level: warn2\ntracer_provider: {limits: {attribute_count_limit: 1}, processors: [{simple: {exporter: {console: }}}]}',
  )
  const tracing = await traced(on)
  const span = tracing.tracer.start('a', {})
  span.end()
  span.end()
  await tracing.shutdown()
  assert.match(on.stderr(), /^svc: tracing: .*end\(\).*\n/m)
})

test('an untraced run starts nothing', async () => {
  const on = stage({})
  const { openTracing } = await import('../../lib/telemetry/tracing')
  const off = { trace: false, noTrace: false, version: '1', secrets: [] }
  const tracing = await openTracing(on.runtime, off)
  assert.is(tracing.tracer.start('a', {}), noSpan)
  await tracing.shutdown()
  assert.is(on.stderr(), '')
})

test.run()
