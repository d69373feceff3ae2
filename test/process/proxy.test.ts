import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exitCodes } from '../../lib/failure/report'
import { createCertificate } from '../support/certificate'
import { type ProgramResult, runProgram } from '../support/program'
import { startHttpServer, startTcpServer } from '../support/servers'
import { formatRowAnswer } from './row-service'

const test = suite('process: proxies')

/** The certificate is for a host that does not exist, so only the proxy can connect to the service. */
const certificate = createCertificate('service.example')
const modelList = '{"models":[]}'
const service = await startHttpServer(
  ({ method }, response) => response.end(method === 'POST' ? formatRowAnswer(1) : modelList),
  certificate,
)

const password = 'p@ss-w0rd'
const encodedPassword = encodeURIComponent(password)
const credentials = Buffer.from(`user:${password}`).toString('base64')
const refusal = 'HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n'

/** The requests that the proxy got. */
const proxyRequests: string[] = []

/** A proxy that requires the credentials. It connects every tunnel to the service, whatever host name the tunnel is for. */
const proxy = await startTcpServer((socket) =>
  socket.once('data', (head) => {
    const request = String(head)
    proxyRequests.push(request)
    if (!request.includes(`Proxy-Authorization: Basic ${credentials}\r\n`)) {
      socket.end(refusal)
      return
    }
    const tunnel = connect(service.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(tunnel).pipe(socket)
    })
    tunnel.on('error', () => socket.destroy())
  }),
)
test.after(() => proxy.close())
test.after(() => service.close())

/** Formats the address of a proxy. `userinfo` has the form `user:password@`. */
const formatAddress = ({ port }: { readonly port: number }, userinfo = ''): string =>
  `http://${userinfo}127.0.0.1:${port}`

const proxyWithCredentials = formatAddress(proxy, `user:${encodedPassword}@`)

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

/** Runs svc with a proxy for HTTPS. `DEBUG` lets libraries print what they do. Their texts must have no secrets. */
const runThroughProxy = (
  proxyAddress: string,
  args: ReadonlyArray<string>,
  { env, stdin }: RunOptions = {},
): Promise<ProgramResult> =>
  runProgram(args, {
    stdin,
    env: {
      SERVICE_API_KEY: 'sk-secret',
      SERVICE_BASE_URL: 'https://service.example',
      HTTPS_PROXY: proxyAddress,
      DEBUG: '*',
      NODE_EXTRA_CA_CERTS: certificate.certPath,
      ...env,
    },
  })

const listModels = ['models', '--max-retries', '1', '--log-level', 'debug']

const assertNoSecrets = ({ stdout, stderr }: ProgramResult): void => {
  const output = stdout + stderr
  for (const secret of ['sk-secret', encodedPassword, password, credentials])
    assert.not.match(output, secret)
}

test('connects to the service by TLS through a proxy with credentials', async () => {
  const result = await runThroughProxy(proxyWithCredentials, listModels)
  assert.is(result.code, 0)
  assert.is(result.stdout, `${modelList}\n`)
  assert.match(result.stderr, / url=https:\/\/service\.example\/v1\/models .* status=200 /)
  assert.match(proxyRequests.at(-1) ?? '', /^CONNECT service\.example:443 HTTP\/1\.1\r\n/)
  assertNoSecrets(result)
})

test('refuses a certificate of the service that no authority has signed', async () => {
  // By default, `runThroughProxy` lets Node trust the certificate.
  const env = { NODE_EXTRA_CA_CERTS: '' }
  const result = await runThroughProxy(proxyWithCredentials, listModels, { env })
  assert.is(result.code, exitCodes.connection)
  const message = '"message":"typesafe: connection error: the certificate is self-signed'
  assert.match(result.stdout, message)
  assertNoSecrets(result)
})

/** Fails unless the run has reported the proxy's answer as a connection error. `answer` is a status. After 407, a hint follows. */
const assertProxyError = (result: ProgramResult, proxyAddress: string, answer: string): void => {
  const route = `service.example through proxy ${new URL(proxyAddress).host}`
  // `typesafe` is the default provider.
  const message = `typesafe: connection error: the proxy answered ${answer} (${route})`
  assert.is(result.stdout, `{"error":{"kind":"connection","message":"${message}"}}\n`)
  assert.match(result.stderr, `\nsvc: ${message}\n`)
  assert.is(result.code, exitCodes.connection)
  assertNoSecrets(result)
}

for (const { title, userinfo } of [
  { title: 'missing', userinfo: '' },
  { title: 'wrong', userinfo: 'user:wrong@' },
])
  test(`reports ${title} credentials after one retry`, async () => {
    const requestsBefore = proxyRequests.length
    const address = formatAddress(proxy, userinfo)
    const result = await runThroughProxy(address, listModels)
    assertProxyError(result, address, '407: put user:password into HTTPS_PROXY')
    assert.is(proxyRequests.length, requestsBefore + 2)
  })

test('reports a proxy that cannot connect', async () => {
  const brokenProxy = await startTcpServer((socket) =>
    socket.once('data', () =>
      socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 4\r\n\r\nsorry'),
    ),
  )
  const address = formatAddress(brokenProxy, `user:${encodedPassword}@`)
  assertProxyError(await runThroughProxy(address, listModels), address, '502')
  await brokenProxy.close()
})

test('the rows of a batch share one tunnel for each concurrent request', async () => {
  const requestsBefore = proxyRequests.length
  // `--noul` asks a yes/no question.
  const args = ['batch', '--concurrency', '2', '--noul', 'q=Is it?']
  const stdin = '1\n2\n3\n4\n5\n6\n7\n8\n'
  const result = await runThroughProxy(proxyWithCredentials, args, { stdin })
  assert.is(result.code, 0, result.stderr)
  assert.is(result.stdout.trimEnd().split('\n').length, 8)
  const tunnels = proxyRequests.length - requestsBefore
  // The second request may come when the first tunnel is free again.
  assert.ok(tunnels === 1 || tunnels === 2, `${tunnels} tunnels`)
})

test('calls hosts in NO_PROXY without the proxy', async () => {
  const requestsBefore = proxyRequests.length
  const env = { SERVICE_BASE_URL: 'https://service.invalid', no_proxy: '.invalid' }
  const result = await runThroughProxy(proxyWithCredentials, listModels, { env })
  assert.is(result.code, exitCodes.connection)
  assert.match(result.stdout, 'host not found')
  assert.is(proxyRequests.length, requestsBefore)
})

test.run()
