/** Runs the built `svc mcp`, and calls it with the official client SDK of the Model Context Protocol. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { binFile } from '../support/program'
import { until } from '../support/until'
import { startControlledService } from './controlled-service'

/** The two generations of the protocol that svc serves. `mode` makes the client use one of them. */
const protocols = [
  { version: '2025', mode: 'legacy' },
  { version: '2026-07-28', mode: { pin: '2026-07-28' } },
] as const

/** A yes/no question, for which svc's word is `noul`. */
const question = { id: 'q', type: 'noul', instructions: 'Is it?' }

const createAskCall = (state: unknown) => ({
  name: 'ask',
  arguments: { state, questions: [question] },
})

const createBatchCall = (...states: ReadonlyArray<unknown>) => ({
  name: 'batch',
  arguments: { rows: states.map((state) => ({ state })), questions: [question] },
})

for (const { version, mode } of protocols) {
  const test = suite(`mcp: the protocol of ${version}`)

  const service = await startControlledService()

  const createTransport = (): StdioClientTransport =>
    new StdioClientTransport({
      command: process.execPath,
      args: [binFile, 'mcp'],
      env: { SERVICE_BASE_URL: service.url, SERVICE_API_KEY: 'sk-secret' },
    })

  const createClient = (): Client =>
    new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })

  /** The client of all tests but the last. Starting svc for each test would take most of the time. */
  const client = createClient()

  test.before(() => client.connect(createTransport()))
  test.before.each(() => service.reset())
  test.after(async () => {
    await client.close()
    await service.close()
  })

  test('lists two tools with schemas and annotations', async () => {
    const { tools } = await client.listTools()
    assert.equal(
      tools.map((tool) => tool.name),
      ['ask', 'batch'],
    )
    for (const { inputSchema, outputSchema, annotations } of tools) {
      assert.is(inputSchema.type, 'object')
      assert.is(outputSchema?.type, 'object')
      assert.is(annotations?.readOnlyHint, true)
      assert.is(annotations?.openWorldHint, true)
      assert.is(annotations?.idempotentHint, false)
    }
  })

  test('describes its tools in less than 8 kB, because hosts put them into the context of the agent', async () => {
    const { tools } = await client.listTools()
    assert.ok(JSON.stringify({ tools }).length < 8000)
  })

  test('has instructions that an answer is no permission', () => {
    assert.match(client.getInstructions() ?? '', /no permission/)
  })

  test('ask returns the answers as structured content and as the same JSON text', async () => {
    service.respondToAll()
    // After listTools the client validates results against the output schemas.
    await client.listTools()
    const result = await client.callTool(createAskCall({ text: 'hello' }))
    assert.is(result.isError, undefined)
    assert.equal(result.structuredContent, {
      model: 'm',
      answers: { q: { type: 'noul', noul: 0.5 } },
      usage: { input_tokens: 3, output_tokens: 1 },
    })
    assert.equal(result.content, [{ type: 'text', text: JSON.stringify(result.structuredContent) }])
  })

  test('two calls, one after the other, share a connection to the service', async () => {
    service.respondToAll()
    await client.callTool(createAskCall('a'))
    const connectionsBefore = service.countConnections()
    await client.callTool(createAskCall('b'))
    assert.is(service.countConnections(), connectionsBefore)
  })

  test('runs calls at the same time, and returns the result of the later one first', async () => {
    const first = client.callTool(createAskCall('a'))
    const second = client.callTool(createAskCall('b'))
    await service.waitForRequests(2)
    const findRequestIndex = (state: string): number =>
      service.requestBodies().findIndex((body) => body.includes(`"state":"${state}"`))
    service.respondTo(findRequestIndex('b'))
    assert.is((await second).isError, undefined)
    service.respondTo(findRequestIndex('a'))
    assert.is((await first).isError, undefined)
  })

  test('batch reports its progress after each row', async () => {
    // After listTools the client validates results against the output schemas.
    await client.listTools()
    const reports: string[] = []
    const result = client.callTool(createBatchCall(0, 1), {
      onprogress: ({ progress, total }) => reports.push(`${progress} of ${total}`),
    })
    await service.waitForRequests(1)
    service.respondTo(0)
    await until(() => reports.length === 1)
    await service.waitForRequests(2)
    service.respondTo(1)
    const { structuredContent } = await result
    // The client drops pending progress notifications when the result arrives, so the second report may be missing.
    assert.is(reports[0], '1 of 2')
    const { rows, summary } = structuredContent as { rows: []; summary: { answered: number } }
    assert.is(rows.length, 2)
    assert.is(summary.answered, 2)
  })

  for (const call of [createAskCall('s'), createBatchCall('s')])
    test(`cancelling ${call.name} aborts its request, and the next call succeeds`, async () => {
      const cancellation = new AbortController()
      const cancelledCall = client
        .callTool(call, { signal: cancellation.signal })
        .catch((error) => String(error))
      await service.waitForRequests(1)
      cancellation.abort('cancelled by the test')
      assert.match(String(await cancelledCall), 'cancelled by the test')
      await service.waitForAbortedRequests(1)
      service.respondToAll()
      assert.is((await client.callTool(call)).isError, undefined)
    })

  test('sends a state of almost 16 MiB to the service unchanged', async () => {
    service.respondToAll()
    // The letter takes two bytes in UTF-8.
    const state = 'é'.repeat((15 << 20) / 2)
    assert.is((await client.callTool(createAskCall(state))).isError, undefined)
    assert.ok(service.requestBodies()[0]?.includes(state))
  })

  test('refuses a message over 16 MiB, and the next call succeeds', async () => {
    service.respondToAll()
    const cancellation = new AbortController()
    const refusedCall = client
      .callTool(createAskCall('x'.repeat(17 << 20)), { signal: cancellation.signal })
      .catch((error) => String(error))
    assert.is((await client.callTool(createAskCall('small'))).isError, undefined)
    assert.is(service.requestBodies().length, 1)
    // The error response of svc has no id, so the client never settles the refused call by itself.
    cancellation.abort('cancelled by the test')
    assert.match(String(await refusedCall), 'cancelled by the test')
  })

  test('exits and aborts its request when the client closes during a call', async () => {
    const transport = createTransport()
    const closingClient = createClient()
    await closingClient.connect(transport)
    const call = closingClient.callTool(createAskCall('s')).catch(() => undefined)
    await service.waitForRequests(1)
    await closingClient.close()
    await service.waitForAbortedRequests(1)
    await call
    // The transport forgets the process id when the process has exited.
    assert.is(transport.pid, null)
  })

  test.run()
}
