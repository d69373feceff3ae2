import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { noSpan } from '../../lib/runtime/tracer'
import { errorStatusCode, type ReceivedSpan, spanKind } from './decode-spans'
import { parentId, recordSpans, sampledParent, traceId } from './record-spans'

const test = suite('tracing/spans')

const findSpan = (spans: ReadonlyArray<ReceivedSpan>, name: string): ReceivedSpan => {
  const span = spans.find((each) => each.name === name)
  if (span === undefined) throw new Error(`no span ${name}`)
  return span
}

test('exports parents, kinds, attributes, events and links', async () => {
  const spans = await recordSpans(({ tracer }) => {
    const call = tracer.start('svc.ask', {
      client: true,
      attributes: { text: 'a', absent: undefined },
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
  const call = findSpan(spans, 'svc.ask')
  const first = findSpan(spans, 'POST')
  const second = findSpan(spans, 'POST again')
  assert.is(call.parentSpanId, '')
  assert.equal(call.attributes, { text: 'a' })
  assert.is(call.status.code, 0)
  for (const span of [first, second]) {
    assert.is(span.traceId, call.traceId)
    assert.is(span.parentSpanId, call.spanId)
    assert.is(span.kind, spanKind.client)
  }
  assert.is(findSpan(spans, 'inner').kind, spanKind.internal)
  assert.equal(first.attributes, { 'error.type': 'server' })
  assert.equal(first.status, { code: errorStatusCode, message: 'typesafe: broken' })
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

test('sends the id of the span in traceparent', async () => {
  let headers: Readonly<Record<string, string>> = {}
  const [span] = await recordSpans(({ tracer }) => {
    const started = tracer.start('a', {})
    headers = started.headers()
    started.end()
  })
  assert.equal(headers, { traceparent: `00-${span?.traceId}-${span?.spanId}-01` })
})

test('continues the trace in the environment, with its tracestate', async () => {
  let headers: Readonly<Record<string, string>> = {}
  const [span] = await recordSpans(
    ({ tracer }) => {
      const started = tracer.start('a', {})
      headers = started.headers()
      started.end()
    },
    { env: { TRACEPARENT: sampledParent, TRACESTATE: 'vendor=1', BAGGAGE: 'user=x' } },
  )
  assert.is(span?.traceId, traceId)
  assert.is(span?.parentSpanId, parentId)
  assert.is(span?.traceState, 'vendor=1')
  assert.equal(headers, { traceparent: `00-${traceId}-${span?.spanId}-01`, tracestate: 'vendor=1' })
})

test('starts a new trace if TRACEPARENT is invalid', async () => {
  for (const TRACEPARENT of ['x', `00-${'0'.repeat(32)}-${parentId}-01`, `ff-${traceId}-1-01`]) {
    const [span] = await recordSpans(({ tracer }) => tracer.start('a', {}).end(), {
      env: { TRACEPARENT },
    })
    assert.is(span?.parentSpanId, '')
    assert.is.not(span?.traceId, traceId)
  }
})

test('a server span continues the trace of its caller, not that of the environment', async () => {
  const [span, rootSpan] = await recordSpans(
    ({ tracer }) => {
      tracer.start('with-caller', { server: { traceparent: sampledParent } }).end()
      tracer.start('without-caller', { server: {} }).end()
    },
    { env: { TRACEPARENT: `00-${'1'.repeat(32)}-${parentId}-01` } },
  )
  assert.is(span?.kind, spanKind.server)
  assert.is(span?.traceId, traceId)
  assert.is(span?.parentSpanId, parentId)
  assert.is(rootSpan?.parentSpanId, '')
  assert.is.not(rootSpan?.traceId, '1'.repeat(32))
})

test('sends baggage if the document lists it, and no header if it lists none', async () => {
  const env = { TRACEPARENT: sampledParent, BAGGAGE: 'user=x' }
  const startWithPropagator = async (propagator: string) => {
    let headers: Readonly<Record<string, string>> = {}
    await recordSpans(
      ({ tracer }) => {
        headers = tracer.start('a', {}).headers()
      },
      { env, document: `propagator: ${propagator}` },
    )
    return headers
  }
  assert.equal(await startWithPropagator('{composite: [{baggage: }]}'), { baggage: 'user=x' })
  assert.equal(
    Object.keys(await startWithPropagator('{composite_list: "baggage,tracecontext"}')).sort(),
    ['baggage', 'traceparent'],
  )
  assert.equal(await startWithPropagator('{composite_list: none}'), {})
})

test('redacts keys in spans', async () => {
  const secrets = ['flag-key-1', 'env-key-2']
  const [span] = await recordSpans(
    ({ tracer }) => {
      const message = 'you sent flag-key-1 and env-key-2'
      const call = tracer.start('a', { attributes: { one: message } })
      call.set({ two: message })
      call.event('e', { three: message })
      call.end({ kind: 'request', message })
    },
    { secrets },
  )
  const text = JSON.stringify(span, (_key, value) => (typeof value === 'bigint' ? '' : value))
  assert.not.match(text, /key-/)
  assert.is(span?.attributes.two, 'you sent [redacted] and [redacted]')
})

test.run()
