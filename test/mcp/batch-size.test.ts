/** Runs the built `svc mcp`, and calls `batch` with rows whose records are too large for one result. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { binFile } from '../support/program'
import { readRequestBody, startHttpServer } from '../support/servers'

const test = suite('mcp/batch-size')

interface BatchResult {
  readonly rows: ReadonlyArray<{ readonly index: number; readonly id: string }>
  readonly next?: number
  readonly summary: { readonly rows: number; readonly complete: boolean }
}

/** The states that the service has received. */
const receivedStates: number[] = []

/** A service that takes a state as the number of bytes of its answer. It refuses the key with a state below 0. */
const service = await startHttpServer(async (request, response) => {
  const { state } = JSON.parse((await readRequestBody(request)).toString())
  receivedStates.push(state)
  if (state < 0) {
    response.writeHead(401).end('{"detail":"no such key"}')
    return
  }
  const answer = { type: 'other', text: 'x'.repeat(state) }
  response.end(JSON.stringify({ model: 'm', answers: { q: answer } }))
})
const client = new Client({ name: 'test', version: '1' })
const env = { SERVICE_BASE_URL: service.url, SERVICE_API_KEY: 'sk-secret' }

test.before(() =>
  client.connect(
    new StdioClientTransport({ command: process.execPath, args: [binFile, 'mcp'], env }),
  ),
)
test.before.each(() => {
  receivedStates.length = 0
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

test('stops before the result is full, and returns the index of the next row', async () => {
  // The records of a result have at most 64 KiB (65,536 bytes), so three of about 20,000 bytes fit.
  const states = [20_000, 20_001, 20_002, 20_003, 20_004]
  const first = await callBatch(states)
  assert.is(first.rows.length, 3)
  assert.is(first.next, 3)
  assert.is(first.summary.rows, 3)
  assert.is(first.summary.complete, false)
  assert.equal(receivedStates, [20_000, 20_001, 20_002])
  const second = await callBatch([20_003, 20_004])
  assert.is(second.rows.length, 2)
  assert.is(second.next, undefined)
})

test('returns a record that did not fit with the next call, without asking its row again', async () => {
  // A small first record makes svc ask the other two rows at once, although only one of their records fits into 64 KiB.
  const first = await callBatch([100, 40_000, 40_001])
  assert.is(first.rows.length, 2)
  assert.is(first.next, 2)
  // The requests for the rows after the first may arrive in any order.
  assert.equal([...receivedStates].sort(), [100, 40_000, 40_001])
  const second = await callBatch([40_001])
  assert.is(second.rows.length, 1)
  assert.is(second.rows[0]?.index, 0)
  assert.is(second.rows[0]?.id, 'row 40001')
  assert.is(receivedStates.length, 3)
})

test('returns the records so far if the key is refused later, and the index of the first row without a record', async () => {
  const { rows, next, summary } = await callBatch([100, -1, 101])
  assert.equal(
    rows.map(({ id }) => id),
    ['row 100'],
  )
  assert.is(next, 1)
  assert.is(summary.rows, 1)
  assert.is(summary.complete, false)
})

test('returns records without digests', async () => {
  const { rows } = await callBatch([10])
  assert.equal(Object.keys(rows[0] ?? {}), ['index', 'id', 'model', 'answers', 'usage'])
})

test.run()
