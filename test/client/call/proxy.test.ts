import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createFetch } from '../../../lib/runtime/http/fetch'
import { createCertificate } from '../../support/certificate'
import { closeAfterEach } from '../../support/servers'
import {
  type ByteServer,
  createLengthHeader,
  formatResponse,
  modelsBody,
  startByteServer,
} from './byte-server'
import { type ClientLimits, createNetworkClient, describeModelsCall } from './network-client'

const test = suite('call/proxy')
closeAfterEach(test)

const modelsResponse = formatResponse('200 OK', createLengthHeader(modelsBody), modelsBody)

/**
 * Makes a call in an environment with proxies. Returns its description as `describeModelsCall` does, with `PROXY` for every address
 * on this machine.
 */
const callWithEnv = async (
  baseUrl: string,
  env: Readonly<Record<string, string>>,
  limits?: ClientLimits,
): Promise<string> => {
  const client = createNetworkClient(baseUrl, limits)
  const runtime = { ...client.runtime, fetch: createFetch(env) }
  const result = await describeModelsCall({ ...client, runtime })
  return result.replaceAll(/127\.0\.0\.1:\d+/g, 'PROXY')
}

/** Calls `https://service.test` through a proxy, and returns the description of the call. */
const callThroughProxy = (proxy: string, limits?: ClientLimits): Promise<string> =>
  callWithEnv('https://service.test', { HTTPS_PROXY: proxy }, limits)

/** The description of a call whose connection failed. `describeModelsCall` writes `HOST` for the host of the service. */
const describeProxyError = (cause: string): string =>
  `7 connection: typesafe: connection error: ${cause} (HOST through proxy PROXY)`

const selfSignedError = describeProxyError(
  'the certificate is self-signed; NODE_EXTRA_CA_CERTS can add a CA',
)

/** Starts a CONNECT proxy that connects every client to one server. */
const startTunnel = (server: ByteServer): Promise<ByteServer> =>
  startByteServer((socket) => {
    socket.pause()
    const tunnel = connect(server.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(tunnel).pipe(socket)
    })
    tunnel.on('error', () => socket.destroy())
    socket.on('close', () => tunnel.destroy())
  })

/** The credentials of the proxy, `us er:pass`, which are `us%20er:pass` in its URL. */
const encodedCredentials = Buffer.from('us er:pass').toString('base64')

test('an http request goes to the proxy with its whole address', async () => {
  const proxy = await startByteServer((socket) => socket.end(modelsResponse))
  const env = { HTTP_PROXY: `http://us%20er:pass@127.0.0.1:${proxy.port}` }
  assert.is(await callWithEnv('http://service.test/api', env), modelsBody)
  assert.is(await callWithEnv('http://[fd00::1]:8080', env), modelsBody)
  assert.match(proxy.received(), /^GET http:\/\/service\.test\/api\/v1\/models HTTP\/1\.1\r\n/)
  assert.match(proxy.received(), 'GET http://[fd00::1]:8080/v1/models HTTP/1.1\r\n')
  assert.match(proxy.received(), `Proxy-Authorization: Basic ${encodedCredentials}\r\n`)
  assert.match(proxy.received(), 'Host: service.test\r\n')
})

test('nothing is sent to an https proxy with a self-signed certificate', async () => {
  const proxy = await startByteServer((socket) => socket.end(modelsResponse), createCertificate())
  const env = { HTTP_PROXY: `https://127.0.0.1:${proxy.port}` }
  assert.is(await callWithEnv('http://service.test', env), selfSignedError)
  assert.is(proxy.received(), '')
})

test('an https request goes through a tunnel, and the certificate of the service is checked', async () => {
  const service = await startByteServer((socket) => socket.end(modelsResponse), createCertificate())
  const proxy = await startTunnel(service)
  assert.is(await callThroughProxy(`http://us%20er:pass@127.0.0.1:${proxy.port}`), selfSignedError)
  assert.match(proxy.received(), /^CONNECT service\.test:443 HTTP\/1\.1\r\n/)
  assert.match(proxy.received(), `Proxy-Authorization: Basic ${encodedCredentials}\r\n`)
  assert.match(proxy.received(), 'Host: service.test:443\r\n')
  assert.is(service.received(), '')
})

test('requests to this machine and to hosts in NO_PROXY do not use the proxy', async () => {
  const service = await startByteServer((socket) => socket.end(modelsResponse))
  const proxy = await startByteServer((socket) => socket.destroy())
  const HTTP_PROXY = `http://127.0.0.1:${proxy.port}`
  assert.is(await callWithEnv(`http://127.0.0.1:${service.port}`, { HTTP_PROXY }), modelsBody)
  const env = { HTTP_PROXY, NO_PROXY: 'service.invalid' }
  assert.match(await callWithEnv('http://service.invalid', env), 'host not found')
  assert.is(proxy.countConnections(), 0)
})

test('a proxy that refuses a tunnel is a connection error, not a response of the service', async () => {
  const refusal = formatResponse('407 Who are you', { 'Content-Length': 2 }, 'no')
  const proxy = await startByteServer((socket) => socket.end(refusal))
  assert.is(
    await callThroughProxy(`http://user:pass@127.0.0.1:${proxy.port}`),
    describeProxyError('the proxy answered 407: put user:password into HTTPS_PROXY'),
  )
  // The API key of the client.
  assert.not.match(proxy.received(), 'sk-secret')
  await proxy.waitUntilDisconnected()
})

test('a proxy that refuses connections, closes them or never responds is named', async () => {
  const stopped = await startByteServer(() => undefined)
  await stopped.close()
  assert.is(
    await callThroughProxy(`http://user:pass@127.0.0.1:${stopped.port}`),
    describeProxyError('connection refused'),
  )

  const closing = await startByteServer((socket) => socket.end())
  assert.is(
    await callThroughProxy(`http://127.0.0.1:${closing.port}`),
    describeProxyError('connection closed before a response came'),
  )

  const timeoutNs = 300_000_000n
  const silent = await startByteServer(() => undefined)
  assert.is(
    await callThroughProxy(`http://127.0.0.1:${silent.port}`, { timeout: timeoutNs }),
    '7 connection: typesafe: request timed out after 300ms: no response yet (HOST)',
  )
  await silent.waitUntilDisconnected()
})

test('an invalid proxy address is a usage error and is not retried', async () => {
  const message =
    'HTTPS_PROXY must be the address of a proxy, with http:// or https:// or no scheme'
  for (const address of ['http://user:pass@[oops', 'socks5://user:pass@h:1080'])
    assert.is(await callThroughProxy(address, { maxRetries: 2 }), `1 usage: ${message}`)
})

test.run()
