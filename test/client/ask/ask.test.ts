import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runMain } from '../../main/run-main'
import { createFakeClient } from '../call/fake-client'

const test = suite('ask/ask')

interface AskCase {
  readonly flags: ReadonlyArray<string>
  /** The beginning of the message. */
  readonly message: string
  /** The exit code: 1 for a usage error, 2 for an invalid request. */
  readonly code: 1 | 2
}

test('checks flags, then reads input, then checks address, key and request, and sends nothing', async () => {
  // Most command lines have faults of later checks too: the request on stdin is invalid, and there is no key.
  const cases: ReadonlyArray<AskCase> = [
    {
      flags: ['--timeout', '-1s', '--log-level', 'x', '-f', 'no'],
      message: '--timeout must not be',
      code: 1,
    },
    { flags: ['--log-level', 'x', '-f', 'no'], message: 'invalid log level "x"', code: 1 },
    { flags: ['--base-url', 'x', '-f', 'no'], message: 'read request: no: no such file', code: 1 },
    { flags: ['--base-url', 'x'], message: 'typesafe: invalid base URL "x"', code: 1 },
    { flags: [], message: 'typesafe: API key is required', code: 1 },
    { flags: ['--api-key', 'k'], message: 'typesafe: invalid request: questions: ', code: 2 },
  ]
  for (const { flags, message: messageStart, code: expectedCode } of cases) {
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
