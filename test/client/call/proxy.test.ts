import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createFetch } from '../../../lib/runtime/http/fetch'
import { makeCertificate } from '../../support/certificate'
import { closeAfterEach } from '../../support/servers'
import { outcomeOf, realEnv } from './real'
import { response, type Server, serve } from './servers'

const test = suite('client/proxy')
closeAfterEach(test)

const good = '{"models":[]}'
const answer = response('200 OK', { 'Content-Length': good.length }, good)

/** The outcome of a call where the environment says `env`; `PROXY` stands for the proxy's host. */
const called = async (
  baseUrl: string,
  env: Readonly<Record<string, string>>,
  config: Parameters<typeof realEnv>[1] = {},
): Promise<string> => {
  const real = realEnv(baseUrl, config)
  const runtime = { ...real.runtime, fetch: createFetch(env) }
  return (await outcomeOf({ ...real, runtime })).replaceAll(/127\.0\.0\.1:\d+/g, 'PROXY')
}

const service = 'https://service.test'
const through = (proxy: string, config?: Parameters<typeof realEnv>[1]) =>
  called(service, { HTTPS_PROXY: proxy }, config)
const broken = (cause: string) => `7 connection: typesafe: connection error: ${cause}`

/** A CONNECT proxy that leads to `target` whatever it is asked for. */
const connectProxy = (target: Server): Promise<Server> =>
  serve((socket) => {
    socket.pause()
    const onward = connect(target.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    onward.on('error', () => socket.destroy())
    socket.on('close', () => onward.destroy())
  })

const credentials = Buffer.from('us er:pass').toString('base64')

test('a request by http goes to the proxy with its whole address', async () => {
  const proxy = await serve((socket) => socket.end(answer))
  const env = { HTTP_PROXY: `http://us%20er:pass@127.0.0.1:${proxy.port}` }
  assert.is(await called('http://service.test/api', env), good)
  assert.is(await called('http://[fd00::1]:8080', env), good)
  assert.match(proxy.received(), /^GET http:\/\/service\.test\/api\/v1\/models HTTP\/1\.1\r\n/)
  assert.match(proxy.received(), 'GET http://[fd00::1]:8080/v1/models HTTP/1.1\r\n')
  assert.match(proxy.received(), `Proxy-Authorization: Basic ${credentials}\r\n`)
  assert.match(proxy.received(), 'Host: service.test\r\n')
})

test('so it does by TLS to a proxy of https, whose certificate is checked', async () => {
  const certificate = makeCertificate()
  const proxy = await serve((socket) => socket.end(answer), certificate)
  assert.is(
    await called('http://service.test', { HTTP_PROXY: `https://127.0.0.1:${proxy.port}` }),
    broken(
      'the certificate is self-signed; NODE_EXTRA_CA_CERTS can add a CA (HOST through proxy PROXY)',
    ),
  )
  assert.is(proxy.received(), '')
})

test('TLS goes through the proxy to the service, and is checked', async () => {
  const target = await serve((socket) => socket.end(answer), makeCertificate())
  const proxy = await connectProxy(target)
  assert.is(
    await through(`http://us%20er:pass@127.0.0.1:${proxy.port}`),
    broken(
      'the certificate is self-signed; NODE_EXTRA_CA_CERTS can add a CA (HOST through proxy PROXY)',
    ),
  )
  assert.match(proxy.received(), /^CONNECT service\.test:443 HTTP\/1\.1\r\n/)
  assert.match(proxy.received(), `Proxy-Authorization: Basic ${credentials}\r\n`)
  assert.match(proxy.received(), 'Host: service.test:443\r\n')
  assert.is(target.received(), '')
})

test('loopback is never proxied, nor is what NO_PROXY names', async () => {
  const target = await serve((socket) => socket.end(answer))
  const proxy = await serve((socket) => socket.destroy())
  const HTTP_PROXY = `http://127.0.0.1:${proxy.port}`
  assert.is(await called(`http://127.0.0.1:${target.port}`, { HTTP_PROXY }), good)
  assert.match(
    await called('http://service.invalid', { HTTP_PROXY, NO_PROXY: 'service.invalid' }),
    'host not found',
  )
  assert.is(proxy.connections(), 0)
})

test('a proxy that refuses a tunnel is a connection error, not an answer of the service', async () => {
  const proxy = await serve((socket) =>
    socket.end(response('407 Who are you', { 'Content-Length': 2 }, 'no')),
  )
  assert.is(
    await through(`http://user:pass@127.0.0.1:${proxy.port}`),
    broken('the proxy answered 407: put user:password into HTTPS_PROXY (HOST through proxy PROXY)'),
  )
  assert.not.match(proxy.received(), 'sk-secret')
  await proxy.quiet()
})

test('a proxy that is not there, hangs up or is silent', async () => {
  const gone = await serve(() => undefined)
  await gone.close()
  const address = `http://user:pass@127.0.0.1:${gone.port}`
  assert.is(await through(address), broken('connection refused (HOST through proxy PROXY)'))

  const curt = await serve((socket) => socket.end())
  assert.is(
    await through(`http://127.0.0.1:${curt.port}`),
    broken('connection closed before a response came (HOST through proxy PROXY)'),
  )

  const silent = await serve(() => undefined)
  assert.is(
    await through(`http://127.0.0.1:${silent.port}`, { timeout: 300_000_000n }),
    '7 connection: typesafe: request timed out after 300ms: no response yet (HOST)',
  )
  await silent.quiet()
})

test('a proxy address that is of no use ends the call at once', async () => {
  const why = 'HTTPS_PROXY must be the address of a proxy, with http:// or https:// or no scheme'
  for (const address of ['http://user:pass@[oops', 'socks5://user:pass@h:1080'])
    assert.is(await through(address, { maxRetries: 2 }), `1 usage: ${why}`)
})

test.run()
