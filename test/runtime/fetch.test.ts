import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Deadline } from '../../lib/client/call/deadline'
import { createFetch } from '../../lib/runtime/http/fetch'
import { nodeClock } from '../../lib/runtime/node/clock'
import { closeAfterEach, startHttpServer } from '../support/servers'

const test = suite('runtime/fetch')
closeAfterEach(test)

/** Never cancels an exchange: its signal never fires, and 0 means no time limit. */
const noCancellation = new Deadline(nodeClock, new AbortController().signal, 0)

const readToEnd = async (body: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of body);
}

test('rejects if the request is already cancelled, without an uncaught exception', async () => {
  const uncaught: unknown[] = []
  const onUncaught = (error: unknown): void => void uncaught.push(error)
  process.on('uncaughtException', onUncaught)
  const rejection = await createFetch({})('http://127.0.0.1:1/', {
    method: 'POST',
    headers: {},
    body: Buffer.from('{}'),
    cancellation: new Deadline(nodeClock, AbortSignal.abort(), 0),
  }).catch((error: unknown) => error)
  // Node reports an uncaught exception before the next turn.
  await new Promise(setImmediate)
  process.off('uncaughtException', onUncaught)
  assert.instance(rejection, Error)
  assert.equal(uncaught, [])
})

test('returns a redirect as the response, and sends nothing to its target', async () => {
  const paths: Array<string | undefined> = []
  const server = await startHttpServer(({ url }, response) => {
    paths.push(url)
    response.writeHead(302, { location: '/target' }).end()
  })
  const init = { method: 'GET', headers: {}, cancellation: noCancellation }
  const { status, body } = await createFetch({})(`${server.url}/first`, init)
  await readToEnd(body)
  assert.is(status, 302)
  assert.equal(paths, ['/first'])
})

/**
 * Sends three requests one after the other, through a proxy if `usesProxy` is set. Returns the number of connections that svc has opened:
 * to the proxy if there is one, otherwise to the service.
 */
const countConnections = async (options: {
  readonly keepAlive: boolean
  readonly usesProxy: boolean
}): Promise<number> => {
  const server = await startHttpServer((_, response) => response.end('{}'))
  const fetch = createFetch(options.usesProxy ? { HTTP_PROXY: server.url } : {})
  const url = options.usesProxy ? 'http://service.test/' : server.url
  const init = {
    method: 'POST',
    headers: {},
    body: Buffer.from('{}'),
    cancellation: noCancellation,
    keepAlive: options.keepAlive,
  }
  for (let i = 0; i < 3; i++) {
    const { body } = await fetch(url, init)
    await readToEnd(body)
  }
  return server.countConnections()
}

for (const usesProxy of [false, true]) {
  const peer = usesProxy ? 'a proxy' : 'a service'

  test(`reuses the connection to ${peer} with keepAlive`, async () => {
    assert.is(await countConnections({ keepAlive: true, usesProxy }), 1)
  })

  test(`opens a connection to ${peer} for each request without keepAlive`, async () => {
    assert.is(await countConnections({ keepAlive: false, usesProxy }), 3)
  })
}

test.run()
