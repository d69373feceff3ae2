import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runMain } from '../../main/run-main'
import { createFakeClient } from '../call/fake-client'

const test = suite('ask/ask')

test('checks flags, then reads input, then checks address, key and request, and sends nothing', async () => {
  const table = [
    [['--timeout', '-1s', '--log-level', 'x', '-f', 'no'], '--timeout must not be'],
    [['--log-level', 'x', '-f', 'no'], 'invalid log level "x"'],
    [['--base-url', 'x', '-f', 'no'], 'read request: no: no such file or directory'],
    [['--base-url', 'x'], 'typesafe: invalid base URL "x"'],
    [[], 'typesafe: API key is required'],
    [['--api-key', 'k'], 'typesafe: invalid request: questions: '],
  ] as const
  for (const [flags, start] of table) {
    const { client, sent } = createFakeClient([])
    const { stdout, code } = await runMain({
      argv: ['ask', ...flags],
      env: {},
      stdin: '{"state":1,"questions":{}}',
      files: {},
      fetch: client.runtime.fetch,
    })
    const { message } = JSON.parse(stdout).error
    assert.ok(message.startsWith(start), `${flags.join(' ')}: ${message}`)
    assert.is(code, start.includes('invalid request') ? 2 : 1)
    assert.equal(sent, [])
  }
})

test.run()
