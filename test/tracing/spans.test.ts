import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { noSpan } from '../../lib/runtime/tracer'
import { errorStatusCode, type ReceivedSpan, spanKind } from './decode-spans'
import { parentId, recordSpans, sampledParent, traceId } from './record-spans'

const test = suite('tracing/spans')

/** Returns the span with a name. Throws if there is none. */
const findSpan = (spans: ReadonlyArray<ReceivedSpan>, name: string): ReceivedSpan => {
  const span = spans.find((candidate) => candidate.name === name)
  if (span === undefined) throw new Error(`no span ${name}`)
  return span
}

test('exports attributes, and leaves out those that are undefined', async () => {
  const [span] = await recordSpans(({ tracer }) => {
    const started = tracer.start('a', { attributes: { text: 'a', absent: undefined } })
    started.set({ 'http.response.status_code': 200, ratio: 0.5, ok: true })
    started.end()
  })
  assert.equal(span?.attributes, {
    text: 'a',
    'http.response.status_code': 200,
    ratio: 0.5,
    ok: true,
  })
})

test('exports the parents and kinds of spans', async () => {
  const spans = await recordSpans(({ tracer }) => {
    const call = tracer.start('svc.ask', { client: true })
    tracer.start('POST', { parent: call, client: true }).end()
    tracer.start('inner', { parent: call }).end()
    call.end()
  })
  const call = findSpan(spans, 'svc.ask')
  assert.is(call.parentSpanId, '')
  assert.is(call.kind, spanKind.client)
  assert.is(findSpan(spans, 'POST').kind, spanKind.client)
  assert.is(findSpan(spans, 'inner').kind, spanKind.internal)
  for (const name of ['POST', 'inner']) {
    const child = findSpan(spans, name)
    assert.is(child.traceId, call.traceId)
    assert.is(child.parentSpanId, call.spanId)
  }
})

test('exports the error of a span as its status, an attribute and an event', async () => {
  const [span] = await recordSpans(({ tracer }) => {
    tracer.start('POST', {}).end({ kind: 'server', message: 'typesafe: broken' })
  })
  assert.equal(span?.attributes, { 'error.type': 'server' })
  assert.equal(span?.status, { code: errorStatusCode, message: 'typesafe: broken' })
  assert.equal(span?.events, [
    {
      name: 'exception',
      attributes: { 'exception.type': 'server', 'exception.message': 'typesafe: broken' },
    },
  ])
})

test('exports no status for a span without an error', async () => {
  const [span] = await recordSpans(({ tracer }) => tracer.start('a', {}).end())
  assert.is(span?.status.code, 0)
})

test('exports events', async () => {
  const [span] = await recordSpans(({ tracer }) => {
    const started = tracer.start('a', {})
    started.event('waited', { ms: 5 })
    started.end()
  })
  assert.equal(span?.events, [{ name: 'waited', attributes: { ms: 5 } }])
})

test('exports links to other spans, and ignores a span that records nothing', async () => {
  const spans = await recordSpans(({ tracer }) => {
    const first = tracer.start('first', {})
    first.end()
    tracer.start('second', { links: [first, noSpan] }).end()
  })
  const first = findSpan(spans, 'first')
  const expectedLink = { traceId: first.traceId, spanId: first.spanId }
  assert.equal(findSpan(spans, 'second').links, [expectedLink])
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
  const textOfOtherFormat = 'x'
  const zeroTraceId = `00-${'0'.repeat(32)}-${parentId}-01`
  const invalidVersion = `ff-${traceId}-${parentId}-01`
  for (const TRACEPARENT of [textOfOtherFormat, zeroTraceId, invalidVersion]) {
    const [span] = await recordSpans(({ tracer }) => tracer.start('a', {}).end(), {
      env: { TRACEPARENT },
    })
    assert.is(span?.parentSpanId, '')
    assert.is.not(span?.traceId, traceId)
  }
})

/** A trace that the environment names, but that a server span must not continue. */
const otherTraceId = '1'.repeat(32)
const otherParent = `00-${otherTraceId}-${parentId}-01`

test('a server span continues the trace of its caller, not that of the environment', async () => {
  const [span] = await recordSpans(
    ({ tracer }) => tracer.start('a', { server: { traceparent: sampledParent } }).end(),
    { env: { TRACEPARENT: otherParent } },
  )
  assert.is(span?.kind, spanKind.server)
  assert.is(span?.traceId, traceId)
  assert.is(span?.parentSpanId, parentId)
})

test('a server span without a caller starts a trace of its own', async () => {
  const [span] = await recordSpans(({ tracer }) => tracer.start('a', { server: {} }).end(), {
    env: { TRACEPARENT: otherParent },
  })
  assert.is(span?.parentSpanId, '')
  assert.is.not(span?.traceId, otherTraceId)
})

/** Returns the headers of a span. `propagator` is a section of the document, in YAML. */
const readHeaders = async (propagator: string): Promise<Readonly<Record<string, string>>> => {
  let headers: Readonly<Record<string, string>> = {}
  await recordSpans(
    ({ tracer }) => {
      headers = tracer.start('a', {}).headers()
    },
    {
      env: { TRACEPARENT: sampledParent, BAGGAGE: 'user=x' },
      documentYaml: `propagator: ${propagator}`,
    },
  )
  return headers
}

test('sends baggage if the document lists it', async () => {
  assert.equal(await readHeaders('{composite: [{baggage: }]}'), { baggage: 'user=x' })
  const headers = await readHeaders('{composite_list: "baggage,tracecontext"}')
  assert.equal(Object.keys(headers).sort(), ['baggage', 'traceparent'])
})

test('sends no headers if the document lists no propagator', async () => {
  assert.equal(await readHeaders('{composite_list: none}'), {})
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
  // JSON has no bigint. The times of a span, which are bigint, contain no key.
  const text = JSON.stringify(span, (_key, value) => (typeof value === 'bigint' ? '' : value))
  assert.not.match(text, /key-/)
  assert.is(span?.attributes.two, 'you sent [redacted] and [redacted]')
})

test.run()
