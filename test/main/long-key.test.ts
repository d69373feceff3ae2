import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FetchInit, FetchResponse } from '../../lib/runtime/runtime'
import { runMain } from './run-main'

const test = suite('main: a long key')

/** A key of the maximum length, 8 KiB. */
const maxLengthKey = 'k'.repeat(8 << 10)

/** Creates a fetch whose response repeats the key. It adds each Authorization header to `sentAuthorizations`. */
const createEchoingFetch =
  (status: number, sentAuthorizations: Array<string | undefined>) =>
  async (_url: string, init: Pick<FetchInit, 'headers'>): Promise<FetchResponse> => {
    sentAuthorizations.push(init.headers.Authorization)
    // svc accepts a response that lacks an answer.
    const body = JSON.stringify({
      model: `m ${maxLengthKey}`,
      answers: {},
      detail: `${maxLengthKey} ${maxLengthKey}`,
    })
    return {
      status,
      header: () => null,
      body: (async function* () {
        yield Buffer.from(body)
      })(),
    }
  }

const argv = ['ask', '--state=s', '--noul=q=Is it?', '--log-level=debug', '--max-retries=0']

const cases = [
  { status: 200, exitCode: 0 },
  { status: 400, exitCode: 4 },
  { status: 500, exitCode: 6 },
]
for (const { status, exitCode } of cases)
  test(`sends a key of 8 KiB and never prints it, with a response of status ${status}`, async () => {
    const sentAuthorizations: Array<string | undefined> = []
    const { code, stdout, stderr } = await runMain({
      argv,
      env: { SERVICE_API_KEY: maxLengthKey },
      fetch: createEchoingFetch(status, sentAuthorizations),
    })
    assert.equal(sentAuthorizations, [`Bearer ${maxLengthKey}`])
    assert.is(code, exitCode)
    assert.match(stdout, '[redacted]')
    // No other text of the output has three letters k in a row.
    assert.not.match(stdout, 'kkk')
    assert.not.match(stderr, 'kkk')
  })

test('refuses a key over 8 KiB without sending a request', async () => {
  const sentAuthorizations: Array<string | undefined> = []
  const { code, stderr } = await runMain({
    argv,
    env: { SERVICE_API_KEY: `${maxLengthKey}k` },
    fetch: createEchoingFetch(200, sentAuthorizations),
  })
  assert.equal(sentAuthorizations, [])
  assert.is(code, 1)
  assert.is(stderr, 'svc: typesafe: invalid API key: it is longer than 8 KiB\n')
})

test.run()
