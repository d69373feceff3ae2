import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeCertificate } from '../support/certificate'
import { type Ended, run } from '../support/program'
import { startHttpServer, startTcpServer } from '../support/servers'
import { formatRowAnswer } from './row-service'

const test = suite('process: proxies')

/** The service knows itself by a name that exists nowhere: only the proxy can lead to it. */
const certificate = makeCertificate('service.example')
const body = '{"models":[]}'
const service = await startHttpServer(
  ({ method }, response) => response.end(method === 'POST' ? formatRowAnswer(1) : body),
  certificate,
)

const password = 'p%40ss-w0rd'
const credentials = Buffer.from('user:p@ss-w0rd').toString('base64')

/** A CONNECT proxy that wants the credentials, and leads to the service whatever it is asked for. */
const asked: string[] = []
const strict = await startTcpServer((socket) =>
  socket.once('data', (head) => {
    asked.push(String(head))
    if (!String(head).includes(`Proxy-Authorization: Basic ${credentials}\r\n`)) {
      socket.end(
        'HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n',
      )
      return
    }
    const onward = connect(service.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    onward.on('error', () => socket.destroy())
  }),
)
test.after(() => strict.close())
test.after(() => service.close())

/** One run through a proxy with everything that talks turned on. */
const models = (proxy: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  through(proxy, ['models', '--max-retries', '1', '--log-level', 'debug'], { env })

const through = (
  proxy: string,
  args: ReadonlyArray<string>,
  { env, stdin }: { readonly env?: Readonly<Record<string, string>>; readonly stdin?: string },
): Promise<Ended> =>
  run(args, {
    stdin,
    env: {
      ...{
        SERVICE_API_KEY: 'sk-secret',
        SERVICE_BASE_URL: 'https://service.example',
        HTTPS_PROXY: proxy,
        DEBUG: '*',
      },
      NODE_EXTRA_CA_CERTS: certificate.path,
      ...env,
    },
  })

const address = (at: { readonly port: number }, user = ''): string =>
  `http://${user}127.0.0.1:${at.port}`

const keepsSecrets = ({ stdout, stderr }: Ended): void => {
  for (const secret of ['sk-secret', password, decodeURIComponent(password), credentials])
    assert.is((stdout + stderr).includes(secret), false, secret)
}

test('TLS to the service through a proxy that wants credentials', async () => {
  const ended = await models(address(strict, `user:${password}@`))
  assert.equal([ended.code, ended.stdout], [0, `${body}\n`])
  assert.match(ended.stderr, / url=https:\/\/service\.example\/v1\/models .* status=200 /)
  assert.match(asked.at(-1) ?? '', /^CONNECT service\.example:443 HTTP\/1\.1\r\n/)
  keepsSecrets(ended)
})

test("refuses the service's certificate without its authority", async () => {
  const ended = await models(address(strict, `user:${password}@`), { NODE_EXTRA_CA_CERTS: '' })
  assert.is(ended.code, 7)
  assert.match(
    ended.stdout,
    /"message":"typesafe: connection error: the certificate is self-signed/,
  )
  keepsSecrets(ended)
})

test('reports missing and wrong credentials, and a proxy that cannot connect', async () => {
  const broken = await startTcpServer((socket) =>
    socket.once('data', () =>
      socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 4\r\n\r\nsorry'),
    ),
  )
  const refused = '407: put user:password into HTTPS_PROXY'
  const cases: ReadonlyArray<readonly [proxy: string, answer: string]> = [
    [address(strict), refused],
    [address(strict, 'user:wrong@'), refused],
    [address(broken, `user:${password}@`), '502'],
  ]
  for (const [proxy, answer] of cases) {
    const before = asked.length
    const ended = await models(proxy)
    const via = `service.example through proxy ${new URL(proxy).host}`
    const message = `typesafe: connection error: the proxy answered ${answer} (${via})`
    assert.is(ended.stdout, `{"error":{"kind":"connection","message":"${message}"}}\n`)
    assert.is(ended.code, 7)
    assert.match(ended.stderr, `\nsvc: ${message}\n`)
    // A connection error is retried.
    if (answer === refused) assert.is(asked.length, before + 2)
    keepsSecrets(ended)
  }
  await broken.close()
})

test('the rows of a batch share tunnels', async () => {
  const before = asked.length
  const args = ['batch', '--concurrency', '2', '--noul', 'q=Is it?']
  const stdin = '1\n2\n3\n4\n5\n6\n7\n8\n'
  const ended = await through(address(strict, `user:${password}@`), args, { stdin })
  assert.is(ended.code, 0, ended.stderr)
  assert.is(ended.stdout.split('\n').length, 9)
  const tunnels = asked.length - before
  assert.ok(tunnels === 1 || tunnels === 2, `${tunnels} tunnels`)
})

test('hosts in NO_PROXY are called without the proxy', async () => {
  const before = asked.length
  const ended = await models(address(strict), {
    SERVICE_BASE_URL: 'https://service.invalid',
    no_proxy: '.invalid',
  })
  assert.is(ended.code, 7)
  assert.match(ended.stdout, 'host not found')
  assert.is(asked.length, before)
})

test.run()
