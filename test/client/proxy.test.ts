import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeCertificate } from '../support/certificate'
import { outcomeOf, realEnv } from './real'
import { response, type Server, serve } from './servers'

const test = suite('client/proxy')

const good = '{"models":[]}'
const answer = response('200 OK', { 'Content-Length': good.length }, good)
const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']

/** Runs with these variables and no other of the kind. */
const withEnv = async (env: Readonly<Record<string, string>>, run: () => Promise<void>) => {
  const all = variables.flatMap((name) => [name, name.toLowerCase()])
  const before = all.map((name) => [name, process.env[name]] as const)
  for (const name of all) delete process.env[name]
  Object.assign(process.env, env)
  try {
    await run()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

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

const closeAll = (...servers: ReadonlyArray<Server>) =>
  Promise.all(servers.map((server) => server.close()))

test('D24: a proxy carries the exchange, its credentials go to it alone', async () => {
  const service = await serve((socket) => socket.end(answer))
  const proxy = await connectProxy(service)
  for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])
    await withEnv({ [name]: `http://us%20er:pass@127.0.0.1:${proxy.port}` }, async () => {
      assert.is(await outcomeOf(realEnv('http://service.test')), good)
    })
  assert.is(service.connections(), 3)
  assert.match(proxy.received(), /^CONNECT service\.test:80 HTTP\/1\.1\r\n/)
  const credentials = Buffer.from('us er:pass').toString('base64')
  assert.match(proxy.received(), `Proxy-Authorization: Basic ${credentials}\r\n`)
  assert.not.match(service.received(), credentials)
  assert.match(service.received(), 'Bearer sk-secret')
  await closeAll(service, proxy)
})

const certificate = makeCertificate()
test('D24: TLS goes through the proxy to the service, and is checked', async () => {
  const service = await serve((socket) => socket.end(answer), certificate)
  const proxy = await connectProxy(service)
  assert.is(
    await through(`http://127.0.0.1:${proxy.port}`),
    broken('the certificate is self-signed (HOST through proxy PROXY)'),
  )
  assert.match(proxy.received(), /^CONNECT service\.test:443 HTTP\/1\.1\r\n/)
  assert.is(service.received(), '')
  await closeAll(service, proxy)
})

test('D24: loopback is never proxied, nor is what NO_PROXY names', async () => {
  const service = await serve((socket) => socket.end(answer))
  const proxy = await serve((socket) => socket.destroy())
  const address = `http://127.0.0.1:${proxy.port}`
  await withEnv({ HTTP_PROXY: address }, async () => {
    assert.is(await outcomeOf(realEnv(`http://127.0.0.1:${service.port}`)), good)
  })
  await withEnv({ HTTP_PROXY: address, NO_PROXY: 'service.invalid' }, async () => {
    assert.match(await outcomeOf(realEnv('http://service.invalid')), 'host not found')
  })
  assert.is(proxy.connections(), 0)
  await closeAll(service, proxy)
})

/** The outcome through a proxy that is set to `address`. */
const through = async (address: string, config: Parameters<typeof realEnv>[1] = {}) => {
  let outcome = ''
  await withEnv({ HTTPS_PROXY: address }, async () => {
    outcome = await outcomeOf(realEnv('https://service.test', config))
  })
  return outcome.replaceAll(/127\.0\.0\.1:\d+/g, 'PROXY')
}
const broken = (cause: string) => `7 connection: typesafe: connection error: ${cause}`

test('a proxy that refuses is a connection error, not an answer of the service', async () => {
  const proxy = await serve((socket) =>
    socket.end(response('407 Who are you', { 'Content-Length': 2 }, 'no')),
  )
  assert.is(
    await through(`http://user:pass@127.0.0.1:${proxy.port}`),
    broken('the proxy answered 407 (HOST through proxy PROXY)'),
  )
  assert.not.match(proxy.received(), 'sk-secret')
  await proxy.close()
})

test('a proxy that is not there, hangs up or is silent', async () => {
  const gone = await serve(() => undefined)
  await gone.close()
  const address = `http://user:pass@127.0.0.1:${gone.port}`
  assert.is(await through(address), broken('connection refused (HOST through proxy PROXY)'))

  const curt = await serve((socket) => socket.end())
  assert.is(
    await through(`http://127.0.0.1:${curt.port}`),
    broken('request failed (HOST through proxy PROXY)'),
  )
  await curt.close()

  const silent = await serve(() => undefined)
  assert.is(
    await through(`http://127.0.0.1:${silent.port}`, { timeout: 300_000_000n }),
    '7 connection: typesafe: request timed out after 300ms: no response yet (HOST)',
  )
  await silent.quiet()
  await silent.close()
})

test('a proxy address that is of no use', async () => {
  assert.is(
    await through('http://user:pass@[oops'),
    broken('the proxy address is not a valid URL (HOST)'),
  )
  assert.is(
    await through('socks5://user:pass@h:1080'),
    broken('the proxy address must begin with http:// or https:// (HOST)'),
  )
})

test.run()
