/** The built program: what `batch` does with rows whose records do not fit into one result. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bin } from '../support/program'
import { bodyOf, httpServer } from '../support/servers'

const test = suite('mcp/batch-size')

interface BatchResult {
  readonly rows: ReadonlyArray<{ readonly index: number; readonly id: string; reused?: boolean }>
  readonly next?: number
  readonly summary: { readonly rows: number; readonly complete: boolean }
}

/** The states that the service was asked about. A state is the number of bytes of its answer. */
const asked: number[] = []

const service = await httpServer(async (request, response) => {
  const { state } = JSON.parse((await bodyOf(request)).toString())
  asked.push(state)
  const answer = { type: 'other', text: 'x'.repeat(state) }
  response.end(JSON.stringify({ model: 'm', answers: { q: answer } }))
})
const client = new Client({ name: 'test', version: '1' })
const env = { SERVICE_BASE_URL: service.url, SERVICE_API_KEY: 'sk-secret' }

test.before(() =>
  client.connect(new StdioClientTransport({ command: process.execPath, args: [bin, 'mcp'], env })),
)
test.before.each(() => {
  asked.length = 0
})
test.after(async () => {
  await client.close()
  await service.close()
})

const callBatch = async (states: ReadonlyArray<number>): Promise<BatchResult> => {
  const rows = states.map((state) => ({ id: `row ${state}`, state }))
  const questions = [{ id: 'q', type: 'other' }]
  const result = await client.callTool({ name: 'batch', arguments: { questions, rows } })
  assert.is(result.isError, undefined, JSON.stringify(result.content))
  return result.structuredContent as unknown as BatchResult
}

test('stops before the result is full and says which row comes next', async () => {
  const states = [20_000, 20_001, 20_002, 20_003, 20_004]
  const { rows, next, summary } = await callBatch(states)
  assert.is(rows.length, 3)
  assert.is(next, 3)
  assert.equal([summary.rows, summary.complete], [3, false])
  assert.equal(asked, states.slice(0, 3))
  const rest = await callBatch(states.slice(next))
  assert.equal([rest.rows.length, rest.next], [2, undefined])
})

test('returns a record that did not fit with the next call, and does not ask its row again', async () => {
  const states = [100, 40_000, 40_001]
  const { rows, next } = await callBatch(states)
  assert.equal([rows.length, next], [2, 2])
  assert.equal([...asked].sort(), [100, 40_000, 40_001].sort())
  const rest = await callBatch(states.slice(next))
  assert.equal(
    rest.rows.map(({ index, id }) => [index, id]),
    [[0, 'row 40001']],
  )
  assert.is(asked.length, 3)
})

test('records have no digests', async () => {
  const [row] = (await callBatch([10])).rows
  assert.equal(Object.keys(row ?? {}), ['index', 'id', 'model', 'answers', 'usage'])
})

test.run()
