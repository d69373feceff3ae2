import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startDeadline } from '../../lib/client/call/deadline'
import { createFetch } from '../../lib/runtime/http/fetch'
import { nodeClock } from '../../lib/runtime/node/clock'

const test = suite('runtime/fetch')

const unending = startDeadline(nodeClock, new AbortController().signal, 0)

test('a call that was cancelled before it began rejects, and nothing else is thrown', async () => {
  const stray: Array<unknown> = []
  const onStray = (error: unknown): void => void stray.push(error)
  process.on('uncaughtException', onStray)
  const outcome = await createFetch({})('http://127.0.0.1:1/', {
    method: 'POST',
    headers: {},
    body: Buffer.from('{}'),
    cancellation: startDeadline(nodeClock, AbortSignal.abort(), 0),
  }).catch((error: unknown) => error)
  await new Promise(setImmediate)
  process.off('uncaughtException', onStray)
  assert.instance(outcome, Error)
  assert.equal(stray, [])
})

test('a redirect is an answer, and nothing is sent to its target', async () => {
  const paths: Array<string | undefined> = []
  const server = createServer(({ url }, response) => {
    paths.push(url)
    response.writeHead(302, { location: '/target' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const init = { method: 'GET', headers: { authorization: 'Bearer k' }, cancellation: unending }
  const { status, body } = await createFetch({})(`http://127.0.0.1:${port}/first`, init)
  for await (const _ of body);
  server.close()
  assert.is(status, 302)
  assert.equal(paths, ['/first'])
})

/** Asks a server `count` times, one after the other; gives how many connections that took. */
const connectionsFor = async (
  count: number,
  keepAlive: boolean,
  isProxy = false,
): Promise<number> => {
  let connections = 0
  const server = createServer((_, response) => response.end('{}'))
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  for (let i = 0; i < count; i++) {
    const init = {
      method: 'POST',
      headers: {},
      body: Buffer.from('{}'),
      cancellation: unending,
      keepAlive,
    }
    const address = `http://127.0.0.1:${port}`
    const response = isProxy
      ? await createFetch({ HTTP_PROXY: address })('http://service.test/', init)
      : await createFetch({})(address, init)
    for await (const _ of response.body);
  }
  server.closeAllConnections()
  server.close()
  return connections
}

test('connections are kept where that is asked for', async () => {
  assert.is(await connectionsFor(3, true), 1)
  assert.is(await connectionsFor(3, false), 3)
  assert.is(await connectionsFor(3, true, true), 1)
  assert.is(await connectionsFor(3, false, true), 3)
})

test.run()
