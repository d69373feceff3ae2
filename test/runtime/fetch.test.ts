import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startDeadline } from '../../lib/client/call/deadline'
import { createFetch } from '../../lib/runtime/http/fetch'
import { nodeClock } from '../../lib/runtime/node/clock'

const test = suite('runtime/fetch')

const noLimit = startDeadline(nodeClock, new AbortController().signal, 0)

test('rejects if the request is already cancelled, without an uncaught exception', async () => {
  const uncaught: unknown[] = []
  const onUncaught = (error: unknown): void => void uncaught.push(error)
  process.on('uncaughtException', onUncaught)
  const rejection = await createFetch({})('http://127.0.0.1:1/', {
    method: 'POST',
    headers: {},
    body: Buffer.from('{}'),
    cancellation: startDeadline(nodeClock, AbortSignal.abort(), 0),
  }).catch((error: unknown) => error)
  await new Promise(setImmediate)
  process.off('uncaughtException', onUncaught)
  assert.instance(rejection, Error)
  assert.equal(uncaught, [])
})

test('returns a redirect as the response, and sends nothing to its target', async () => {
  const paths: Array<string | undefined> = []
  const server = createServer(({ url }, response) => {
    paths.push(url)
    response.writeHead(302, { location: '/target' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const init = { method: 'GET', headers: { authorization: 'Bearer k' }, cancellation: noLimit }
  const { status, body } = await createFetch({})(`http://127.0.0.1:${port}/first`, init)
  for await (const _ of body);
  server.close()
  assert.is(status, 302)
  assert.equal(paths, ['/first'])
})

/** Sends requests to a server one after the other. Returns the number of connections that the server saw. */
const countConnections = async (options: {
  readonly requests: number
  readonly keepAlive: boolean
  readonly isProxy: boolean
}): Promise<number> => {
  let connections = 0
  const server = createServer((_, response) => response.end('{}'))
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  for (let i = 0; i < options.requests; i++) {
    const init = {
      method: 'POST',
      headers: {},
      body: Buffer.from('{}'),
      cancellation: noLimit,
      keepAlive: options.keepAlive,
    }
    const address = `http://127.0.0.1:${port}`
    const response = options.isProxy
      ? await createFetch({ HTTP_PROXY: address })('http://service.test/', init)
      : await createFetch({})(address, init)
    for await (const _ of response.body);
  }
  server.closeAllConnections()
  server.close()
  return connections
}

for (const isProxy of [false, true]) {
  test(`reuses the connection to a ${isProxy ? 'proxy' : 'service'} with keepAlive`, async () => {
    assert.is(await countConnections({ requests: 3, keepAlive: true, isProxy }), 1)
  })

  test(`opens a connection to a ${isProxy ? 'proxy' : 'service'} per request without keepAlive`, async () => {
    assert.is(await countConnections({ requests: 3, keepAlive: false, isProxy }), 3)
  })
}

test.run()
