import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createFakeClient } from '../client/call/fake-client'
import { runMain } from '../main/run-main'

const test = suite('commands/ask')

interface AskCase {
  readonly flags: ReadonlyArray<string>
  readonly messageStart: string
  /** The expected exit code: 1 for a usage error, 2 for an invalid request. */
  readonly expectedCode: 1 | 2
}

test('checks flags, then reads input, then checks address, key and request, and sends nothing', async () => {
  // Most command lines have faults of later checks too: the request on stdin is invalid, and there is no key. Without a provider,
  // messages begin with `typesafe`.
  const cases: ReadonlyArray<AskCase> = [
    {
      flags: ['--timeout', '-1s', '--log-level', 'x', '-f', 'no'],
      messageStart: '--timeout must not be',
      expectedCode: 1,
    },
    {
      flags: ['--log-level', 'x', '-f', 'no'],
      messageStart: 'invalid log level "x"',
      expectedCode: 1,
    },
    {
      flags: ['--base-url', 'x', '-f', 'no'],
      messageStart: 'read request: no: no such file',
      expectedCode: 1,
    },
    { flags: ['--base-url', 'x'], messageStart: 'typesafe: invalid base URL "x"', expectedCode: 1 },
    { flags: [], messageStart: 'typesafe: API key is required', expectedCode: 1 },
    {
      flags: ['--api-key', 'k'],
      messageStart: 'typesafe: invalid request: questions: ',
      expectedCode: 2,
    },
  ]
  for (const { flags, messageStart, expectedCode } of cases) {
    const { client, sentRequests } = createFakeClient([])
    const { stdout, code } = await runMain({
      argv: ['ask', ...flags],
      env: {},
      stdin: '{"state":1,"questions":{}}',
      files: {},
      fetch: client.runtime.fetch,
    })
    const { message } = JSON.parse(stdout).error
    assert.ok(message.startsWith(messageStart), `${flags.join(' ')}: ${message}`)
    assert.is(code, expectedCode)
    assert.equal(sentRequests, [])
  }
})

test.run()
