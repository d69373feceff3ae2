/** The built program as a host starts and ends it, and what a tracer sees of it. */
import { createInterface } from 'node:readline'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Running, start } from '../support/program'
import { startCollector } from '../tracing/collector'
import { type Asked, askedService } from './asked-service'

const test = suite('mcp: the process')

const initialize = {
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'host', version: '1' },
  },
}

const call = (id: number, name: string, input: object, meta: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: { ...input, questions: [{ id: 'q', type: 'noul' }] }, _meta: meta },
})

const started = (service: Asked, env: Readonly<Record<string, string>> = {}) => {
  const own = { SERVICE_BASE_URL: service.url, SERVICE_API_KEY: 'sk-secret' }
  const running = start(['mcp', '--max-retries', '0'], { env: { ...own, ...env } })
  const { stdin, stdout } = running.child
  if (stdin === null || stdout === null) throw new Error('no pipes')
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  return {
    ...running,
    send: (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    line: async () => String((await lines.next()).value),
    end: () => stdin.end(),
  }
}

const inFlight = async (
  work: (running: Running & { readonly end: () => void }, service: Asked) => Promise<void>,
): Promise<void> => {
  const service = await askedService()
  const running = started(service)
  running.send(initialize)
  await running.line()
  running.send(call(1, 'ask', { state: 1 }))
  running.send(call(2, 'batch', { rows: [{ state: 1 }, { state: 2 }] }))
  await service.come(2)
  await work(running, service)
  await service.close()
}

test('stdin that closes ends it with 0, and the calls in flight', () =>
  inFlight(async ({ end, ended }, { gone }) => {
    end()
    const { code, stdout, stderr } = await ended
    assert.is(code, 0)
    assert.is(stdout.split('\n').length, 2, 'the answer to initialize and nothing else')
    assert.is(stderr, '')
    await gone(2)
  }))

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`${signal} ends it with 130, and stdout has nothing but the protocol`, () =>
    inFlight(async ({ child, ended }, { gone }) => {
      child.kill(signal)
      const { code, stdout } = await ended
      assert.is(code, 130)
      assert.is(stdout.split('\n').length, 2, stdout)
      await gone(2)
    }))

test('at most 16 calls are in flight: a further one is refused, with advice to wait', async () => {
  const service = await askedService()
  const { send, line, end, ended } = started(service)
  send(initialize)
  await line()
  for (let id = 1; id <= 17; id++) send(call(id, 'ask', { state: id }))
  const refused = JSON.parse(await line())
  assert.is(refused.id, 17)
  assert.is(refused.result.isError, true)
  assert.match(refused.result.content[0].text, 'at most 16 may be in flight')
  assert.match(refused.result.content[1].text, 'Wait')
  end()
  assert.is((await ended).code, 0)
  await service.close()
})

test('a reader of stdout that goes away is no error', () =>
  inFlight(async ({ child, end, ended }, { answer }) => {
    child.stdout?.destroy()
    answer(0)
    answer(1)
    end()
    const { code, stderr } = await ended
    assert.is(code, 0)
    assert.is(stderr, '')
  }))

test('each tool call is a span, which continues the trace of the agent', async () => {
  const service = await askedService()
  const collector = await startCollector()
  service.answerAll()
  const { send, line, end, ended } = started(service, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  send(initialize)
  await line()
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  send(call(1, 'ask', { state: 'secret' }, { traceparent }))
  await line()
  send(call(2, 'batch', { rows: [{ state: 1 }, { state: 2 }] }))
  await line()
  send(call(3, 'ask', {}))
  await line()
  end()
  await ended
  await collector.close()
  await service.close()
  const spans = collector.spans()
  const calls = spans.filter(({ name }) => name.startsWith('tools/call'))
  assert.equal(
    calls.map(({ name, attributes }) => [name, attributes['error.type']]),
    [
      ['tools/call ask', undefined],
      ['tools/call batch', undefined],
      ['tools/call ask', 'usage'],
    ],
  )
  const [first, second] = calls
  assert.is(first?.parentSpanId, 'b7ad6b7169203331')
  assert.is(first?.attributes['gen_ai.tool.name'], 'ask')
  const below = (id = '') =>
    spans.filter(({ parentSpanId }) => parentSpanId === id).map(({ name }) => name)
  assert.equal(below(first?.spanId), ['svc.ask'])
  assert.equal(below(second?.spanId), ['svc.ask', 'svc.ask'])
  assert.not.match(JSON.stringify(spans.map(({ attributes }) => attributes)), /secret/)
})

test.run()
