/** Runs the built `svc mcp` and writes messages to its stdin, as a host does. */
import { createInterface } from 'node:readline'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type RunningProgram, startProgram } from '../support/program'
import { startCollector } from '../tracing/collector'
import { type ControlledService, startControlledService } from './controlled-service'

const test = suite('mcp: the process')

/** The first message of a host. */
const initializeRequest = {
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'host', version: '1' },
  },
}

/** Creates a call of a tool about a yes/no question (type `noul`). `input` has its other arguments. */
const createToolCall = (id: number, name: string, input: object, meta: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: { ...input, questions: [{ id: 'q', type: 'noul' }] }, _meta: meta },
})

interface McpProcess extends RunningProgram {
  readonly send: (message: object) => void
  /** Resolves with the next line of stdout. */
  readonly readLine: () => Promise<string>
  readonly closeStdin: () => void
}

/** Starts `svc mcp`, and initializes the session. */
const startMcp = async (
  service: ControlledService,
  extraEnv: Readonly<Record<string, string>> = {},
): Promise<McpProcess> => {
  const env = { SERVICE_BASE_URL: service.url, SERVICE_API_KEY: 'sk-secret', ...extraEnv }
  const running = startProgram(['mcp', '--max-retries', '0'], { env })
  const { stdin, stdout } = running.child
  if (stdin === null || stdout === null) throw new Error('the process has no pipes')
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  const send = (message: object) => {
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
  const readLine = async () => String((await lines.next()).value)
  send(initializeRequest)
  await readLine()
  return { ...running, send, readLine, closeStdin: () => stdin.end() }
}

/** Starts `svc mcp` with one call of `ask` and one of `batch` in flight. */
const startWithCallsInFlight = async () => {
  const service = await startControlledService()
  const mcp = await startMcp(service)
  mcp.send(createToolCall(1, 'ask', { state: 1 }))
  mcp.send(createToolCall(2, 'batch', { rows: [{ state: 1 }, { state: 2 }] }))
  // Two requests: that of `ask`, and the first one of `batch`, which asks its first row alone.
  await service.waitForRequests(2)
  return { service, mcp }
}

/** Asserts that stdout is the response to `initialize`: one line, with nothing after its line break. */
const assertOnlyInitializeResponse = (stdout: string): void => {
  const [response, ...otherLines] = stdout.split('\n')
  assert.is(JSON.parse(response ?? '').id, 0)
  assert.equal(otherLines, [''])
}

test('exits with 0 and aborts the calls in flight when stdin closes', async () => {
  const { service, mcp } = await startWithCallsInFlight()
  mcp.closeStdin()
  const { code, stdout, stderr } = await mcp.ended
  assert.is(code, 0)
  assertOnlyInitializeResponse(stdout)
  assert.is(stderr, '')
  await service.waitForAbortedRequests(2)
  await service.close()
})

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`exits with 130 and aborts the calls in flight after ${signal}`, async () => {
    const { service, mcp } = await startWithCallsInFlight()
    mcp.child.kill(signal)
    const { code, stdout } = await mcp.ended
    assert.is(code, 130)
    assertOnlyInitializeResponse(stdout)
    await service.waitForAbortedRequests(2)
    await service.close()
  })

test('refuses a call while 16 are in flight, and advises to wait', async () => {
  const service = await startControlledService()
  const { send, readLine, closeStdin, ended } = await startMcp(service)
  for (let id = 1; id <= 17; id++) send(createToolCall(id, 'ask', { state: id }))
  const response = JSON.parse(await readLine())
  assert.is(response.id, 17)
  assert.is(response.result.isError, true)
  assert.match(response.result.content[0].text, 'at most 16 may be in flight')
  assert.match(response.result.content[1].text, 'Wait')
  closeStdin()
  assert.is((await ended).code, 0)
  await service.close()
})

test('exits with 0 when the host has closed stdout and responses are due', async () => {
  const { service, mcp } = await startWithCallsInFlight()
  mcp.child.stdout?.destroy()
  // Responds to both requests in flight, so that svc writes to the closed stdout. 0 and 1 are their indexes.
  service.respondTo(0)
  service.respondTo(1)
  mcp.closeStdin()
  const { code, stderr } = await mcp.ended
  assert.is(code, 0)
  assert.is(stderr, '')
  await service.close()
})

test('records each tool call as a span below the span of the agent', async () => {
  const service = await startControlledService()
  const collector = await startCollector()
  service.respondToAll()
  const tracingEnv = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  const { send, readLine, closeStdin, ended } = await startMcp(service, tracingEnv)
  const agentSpanId = 'b7ad6b7169203331'
  const meta = { traceparent: `00-0af7651916cd43dd8448eb211c80319c-${agentSpanId}-01` }
  const calls = [
    createToolCall(1, 'ask', { state: 'secret' }, meta),
    createToolCall(2, 'batch', { rows: [{ state: 1 }, { state: 2 }] }),
    createToolCall(3, 'ask', {}),
  ]
  for (const call of calls) {
    send(call)
    await readLine()
  }
  closeStdin()
  await ended
  await collector.close()
  await service.close()

  const spans = collector.spans()
  const toolSpans = spans.filter(({ name }) => name.startsWith('tools/call'))
  assert.equal(
    toolSpans.map(({ name, attributes }) => [name, attributes['error.type']]),
    [
      ['tools/call ask', undefined],
      ['tools/call batch', undefined],
      ['tools/call ask', 'usage'],
    ],
  )
  const [askSpan, batchSpan] = toolSpans
  assert.is(askSpan?.parentSpanId, agentSpanId)
  assert.is(askSpan?.attributes['gen_ai.tool.name'], 'ask')
  const listChildren = (id = '') =>
    spans.filter(({ parentSpanId }) => parentSpanId === id).map(({ name }) => name)
  assert.equal(listChildren(askSpan?.spanId), ['svc.ask'])
  assert.equal(listChildren(batchSpan?.spanId), ['svc.ask', 'svc.ask'])
  assert.not.match(JSON.stringify(spans.map(({ attributes }) => attributes)), /secret/)
})

test('answers a line that is not JSON with a parse error, and goes on', async () => {
  const service = await startControlledService()
  const mcp = await startMcp(service)
  mcp.child.stdin?.write('{"jsonrpc":"2.0","id":1,\n')
  const { id, error } = JSON.parse(await mcp.readLine())
  assert.is(id, undefined)
  assert.equal(error, { code: -32700, message: 'Parse error: the message is not JSON' })
  mcp.send({ id: 2, method: 'tools/list' })
  assert.is(JSON.parse(await mcp.readLine()).id, 2)
  mcp.closeStdin()
  assert.is((await mcp.ended).code, 0)
})

test.run()
