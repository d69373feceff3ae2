import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRedact } from '../../../lib/failure/text/redact'
import { takeOutKey } from '../../../lib/service/engines/upstream/without-key'

const test = suite('service: the key in documents of an upstream service (D3)')

const key = 'engine-key-1'
const redact = createRedact([key])
/** Where the second piece that is searched begins. */
const step = (64 << 10) + redact.reach
const nothing = Buffer.from('{}')

const without = async (status: number, body: string, request: Uint8Array = nothing) =>
  (await takeOutKey(redact, status, Buffer.from(body), request))?.toString()

test('it is found wherever one piece ends and the next begins, however it is spelled', async () => {
  const percent = [...key].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')
  const escaped = [...key].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')
  for (const spelled of [key, percent, escaped])
    for (const from of [
      0,
      step - spelled.length,
      step - 5,
      step,
      step + redact.reach - 5,
      2 * step,
    ]) {
      const before = 'é'.repeat(from / 2) + ' '.repeat(from % 2)
      assert.is(
        await without(200, `${before}"${spelled}", and more`),
        from < 60_000 ? `${before}"[redacted]", and more` : undefined,
        `${spelled} at ${from}`,
      )
    }
})

test('what the request says too stays in an answer, and in no failure', async () => {
  const request = Buffer.from(`${' '.repeat(step - 5)}${key}`)
  assert.is(await without(200, `["${key}"]`, request), `["${key}"]`)
  assert.is(await without(500, `["${key}"]`, request), '["[redacted]"]')
})

test('other work goes on while a large document is searched', async () => {
  const bytes = Buffer.from('\\n\\"'.repeat(1 << 19))
  let turns = 0
  let searching = true
  const count = (): void => {
    turns += 1
    if (searching) setImmediate(count)
  }
  setImmediate(count)
  assert.is(await takeOutKey(redact, 200, bytes, bytes), bytes)
  searching = false
  assert.ok(turns >= Math.floor(bytes.length / step), String(turns))
})

test.run()
