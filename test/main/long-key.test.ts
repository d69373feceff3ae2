import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FetchResponse } from '../../lib/runtime/runtime'
import { runMain } from './run-main'

const test = suite('main: a long key')

const key = 'k'.repeat(8 << 10)

/** Creates a fetch whose answers repeat the key, and which adds each Authorization header to `seen`. */
const createEchoingFetch =
  (status: number, seen: Array<string | undefined>) =>
  async (_: string, init: { readonly headers: Readonly<Record<string, string>> }) => {
    seen.push(init.headers.Authorization)
    const response: FetchResponse = {
      status,
      header: () => null,
      body: (async function* () {
        yield Buffer.from(
          JSON.stringify({ model: `m ${key}`, answers: {}, detail: `${key} ${key}` }),
        )
      })(),
    }
    return response
  }

const argv = ['ask', '--state=s', '--noul=q=Is it?', '--log-level=debug', '--max-retries=0']

test('a key of 8 KiB is sent, and never shown', async () => {
  for (const status of [200, 400, 500]) {
    const seen: Array<string | undefined> = []
    const ended = await runMain({
      argv,
      env: { SERVICE_API_KEY: key },
      fetch: createEchoingFetch(status, seen),
    })
    assert.equal(seen, [`Bearer ${key}`])
    assert.is(ended.code, { 200: 0, 400: 4, 500: 6 }[status])
    assert.match(ended.stdout, /\[redacted\]/)
    assert.not.match(ended.stdout + ended.stderr, /kkk/)
  }
})

test('a key above 8 KiB is refused before anything is sent', async () => {
  const seen: Array<string | undefined> = []
  const ended = await runMain({
    argv,
    env: { SERVICE_API_KEY: `${key}k` },
    fetch: createEchoingFetch(200, seen),
  })
  assert.equal(seen, [])
  assert.is(ended.code, 1)
  assert.is(ended.stderr, 'svc: typesafe: invalid API key: it is longer than 8 KiB\n')
})

test.run()
