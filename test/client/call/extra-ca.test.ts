import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createCertificate } from '../../support/certificate'
import { runProgram } from '../../support/program'
import { createLengthHeader, formatResponse, modelsBody, startByteServer } from './byte-server'

const test = suite('call/extra-ca')
const certificate = createCertificate()

const startModelsServer = () => {
  const bytes = formatResponse('200 OK', createLengthHeader(modelsBody), modelsBody)
  return startByteServer((socket) => socket.end(bytes), certificate)
}

/** Runs the built `svc models` against a TLS server on this machine. */
const runModels = (port: number, env: Readonly<Record<string, string>>) => {
  const args = ['models', '--max-retries', '0', '--base-url', `https://localhost:${port}`]
  return runProgram(args, { env: { SERVICE_API_KEY: 'k', ...env } })
}

test('accepts a self-signed certificate only if NODE_EXTRA_CA_CERTS names its file', async () => {
  const server = await startModelsServer()

  const accepted = await runModels(server.port, { NODE_EXTRA_CA_CERTS: certificate.certPath })
  assert.equal([accepted.code, accepted.stdout], [0, `${modelsBody}\n`])
  const refused = await runModels(server.port, {})
  assert.is(refused.code, 7)
  assert.match(refused.stdout, 'the certificate is self-signed')
  await server.close()
})

test('checks certificates even if NODE_TLS_REJECT_UNAUTHORIZED is 0', async () => {
  const server = await startModelsServer()
  const refused = await runModels(server.port, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })
  assert.is(refused.code, 7)
  assert.match(
    refused.stderr,
    /^svc: typesafe: connection error: the certificate is self-signed; NODE_EXTRA_CA_CERTS can add a CA .*\n$/,
  )
  await server.close()
})

test.run()
