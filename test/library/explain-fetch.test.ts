import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createConnectionFailure } from '../../lib/client/call/failures'
import { explainOnWorkers } from '../../lib/library/explain-fetch'
import type { Fetch, FetchInit } from '../../lib/runtime/runtime'

const test = suite('library/explain-fetch')

const createInit = (): FetchInit => {
  const { signal } = new AbortController()
  return { method: 'GET', headers: {}, cancellation: { signal, onCancel: () => undefined } }
}

const failWith =
  (error: Error): Fetch =>
  async () => {
    throw error
  }

/** Returns the cause that svc shows for the failure of a fetch. */
const describeFailure = async (error: Error, userAgent: string): Promise<string> => {
  try {
    await explainOnWorkers(failWith(error), userAgent)('http://h', createInit())
    return ''
  } catch (thrown) {
    return createConnectionFailure(thrown, 'h:80').cause
  }
}

const notImplemented = new Error('[unenv] http.request is not implemented yet!')

test('advises to pass a fetch on Workers without node:http', async () => {
  assert.is(
    await describeFailure(notImplemented, 'Cloudflare-Workers'),
    'node:http does not work here: pass fetch: (url, init) => fetch(url, init), or set a newer compatibility date',
  )
})

test('leaves other failures on Workers, and failures elsewhere, as they are', async () => {
  const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' })
  assert.is(await describeFailure(refused, 'Cloudflare-Workers'), 'connection refused')
  assert.is(await describeFailure(notImplemented, 'Node.js/22'), 'request failed')
})

test.run()
