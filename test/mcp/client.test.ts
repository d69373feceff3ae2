/** The built program, with the client of the protocol's authors as a host has it. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bin } from '../support/program'
import { until } from '../support/until'
import { askedService } from './asked-service'

const generations = [
  { name: '2025', mode: 'legacy' },
  { name: '2026-07-28', mode: { pin: '2026-07-28' } },
] as const

const noul = { id: 'q', type: 'noul', instructions: 'Is it?' }

for (const { name, mode } of generations) {
  const test = suite(`mcp: the protocol of ${name}`)

  const service = await askedService()
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp'],
    env: { SERVICE_BASE_URL: service.url, SERVICE_API_KEY: 'sk-secret' },
  })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const { answer, answerAll, come, connections, gone, requests } = service

  // One session for all tests: each start of the program costs more than what a test does with it.
  test.before(() => client.connect(transport))
  test.before.each(() => service.forget())
  test.after(async () => {
    await client.close()
    await service.close()
  })

  test('the tools have schemas, annotations and instructions, and fit into 8 kB', async () => {
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
    assert.ok(JSON.stringify({ tools }).length < 8000, String(JSON.stringify({ tools }).length))
    assert.match(client.getInstructions() ?? '', /no permission/)
  })

  test('an answer is structured content and the same as text, and the next call uses its connection', async () => {
    answerAll()
    // From here on the client holds results against their schemas.
    await client.listTools()
    const call = { name: 'ask', arguments: { state: { text: 'hello' }, questions: [noul] } }
    const { structuredContent, content, isError } = await client.callTool(call)
    assert.is(isError, undefined)
    assert.equal(structuredContent, {
      model: 'm',
      answers: { q: { type: 'noul', noul: 0.5 } },
      usage: { input_tokens: 3, output_tokens: 1 },
    })
    const [first] = content
    assert.is(first?.type === 'text' && first.text, JSON.stringify(structuredContent))
    await client.callTool(call)
    assert.is(connections(), 1)
  })

  test('calls run at the same time, and the later one may be answered first', async () => {
    const first = client.callTool({ name: 'ask', arguments: { state: 'a', questions: [noul] } })
    const second = client.callTool({ name: 'ask', arguments: { state: 'b', questions: [noul] } })
    await come(2)
    answer(requests().findIndex((body) => body.includes('"state":"b"')))
    assert.is((await second).isError, undefined)
    answer(requests().findIndex((body) => body.includes('"state":"a"')))
    assert.is((await first).isError, undefined)
  })

  test('batch reports its progress row by row', async () => {
    await client.listTools()
    const seen: Array<string> = []
    const result = client.callTool(
      { name: 'batch', arguments: { questions: [noul], rows: [{ state: 0 }, { state: 1 }] } },
      { onprogress: ({ progress, total }) => seen.push(`${progress} of ${total}`) },
    )
    await come(1)
    answer(0)
    await until(() => seen.length === 1)
    await come(2)
    answer(1)
    const { structuredContent } = await result
    // The client drops what it has not yet told when the result comes.
    assert.is(seen[0], '1 of 2')
    const { rows, summary } = structuredContent as { rows: []; summary: { answered: number } }
    assert.is(rows.length, 2)
    assert.is(summary.answered, 2)
  })

  for (const tool of ['ask', 'batch'] as const)
    test(`a call of ${tool} that is cancelled ends its request, and the session goes on`, async () => {
      const cancel = new AbortController()
      const input = tool === 'ask' ? { state: 's' } : { rows: [{ state: 's' }] }
      const call = { name: tool, arguments: { ...input, questions: [noul] } }
      const cancelled = client.callTool(call, { signal: cancel.signal }).catch(String)
      await come(1)
      cancel.abort('enough')
      assert.match(String(await cancelled), /enough/)
      await gone(1)
      answerAll()
      assert.is((await client.callTool(call)).isError, undefined)
    })

  test('arguments of almost 16 MiB arrive whole, a message over 16 MiB is not asked, and the session goes on', async () => {
    answerAll()
    const call = (state: string) =>
      client.callTool({ name: 'ask', arguments: { state, questions: [noul] } })
    const large = 'é'.repeat((15 << 20) / 2)
    assert.is((await call(large)).isError, undefined)
    assert.ok(requests()[0]?.includes(large))
    // The answer to it has no id, so the client waits for another.
    const halt = new AbortController()
    const tooLong = { name: 'ask', arguments: { state: 'x'.repeat(17 << 20), questions: [noul] } }
    const refused = client.callTool(tooLong, { signal: halt.signal }).catch(String)
    assert.is((await call('small')).isError, undefined)
    halt.abort('enough')
    await refused
    assert.is(requests().length, 2)
  })

  test('a client that goes away in the middle of a call ends the program and its request', async () => {
    void client
      .callTool({ name: 'ask', arguments: { state: 's', questions: [noul] } })
      .catch(() => undefined)
    await come(1)
    await client.close()
    await gone(1)
    assert.is(transport.pid, null)
  })

  test.run()
}
