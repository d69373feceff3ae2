import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeCertificate } from '../../support/certificate'
import { run } from '../../support/program'
import { response, serve } from './servers'

const test = suite('client/extra-ca')
const certificate = makeCertificate()

test('NODE_EXTRA_CA_CERTS vouches for a certificate', async () => {
  const body = '{"models":[]}'
  const bytes = response('200 OK', { 'Content-Length': body.length }, body)
  const server = await serve((socket) => socket.end(bytes), certificate)
  const args = ['models', '--max-retries', '0', '--base-url', `https://localhost:${server.port}`]
  const env = { SERVICE_API_KEY: 'k' }
  const known = await run(args, { env: { ...env, NODE_EXTRA_CA_CERTS: certificate.path } })
  assert.equal([known.code, known.stdout], [0, `${body}\n`])
  const unknown = await run(args, { env })
  assert.is(unknown.code, 7)
  assert.match(unknown.stdout, 'the certificate is self-signed')
  await server.close()
})

test('certificates are checked whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
  const server = await serve((socket) => socket.end(), certificate)
  const args = ['models', '--max-retries', '0', '--base-url', `https://localhost:${server.port}`]
  const env = { SERVICE_API_KEY: 'k', NODE_TLS_REJECT_UNAUTHORIZED: '0' }
  const refused = await run(args, { env })
  assert.is(refused.code, 7)
  assert.match(
    refused.stderr,
    /^svc: typesafe: connection error: the certificate is self-signed; NODE_EXTRA_CA_CERTS can add a CA .*\n$/,
  )
  await server.close()
})

test.run()
