import { spawn } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeCertificate } from '../certificate'
import { response, serveTls } from './servers'

const test = suite('client/extra-ca')
const certificate = makeCertificate()

/** Runs the program from its sources. */
const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  new Promise<{ readonly stdout: string; readonly exit: number | null }>((done) => {
    const command = ['--import', 'tsx', 'commands/bin.ts', ...args]
    const child = spawn(process.execPath, command, { env: { PATH: process.env.PATH, ...env } })
    let stdout = ''
    child.stdout.on('data', (bytes) => {
      stdout += bytes
    })
    child.on('close', (exit) => done({ stdout, exit }))
    child.stdin.end()
  })

test('NODE_EXTRA_CA_CERTS vouches for a certificate', async () => {
  const body = '{"models":[]}'
  const bytes = response('200 OK', { 'Content-Length': body.length }, body)
  const server = await serveTls(certificate, (socket) => socket.end(bytes))
  const args = ['models', '--max-retries', '0', '--base-url', `https://localhost:${server.port}`]
  const env = { SERVICE_API_KEY: 'k' }
  const known = await run(args, { ...env, NODE_EXTRA_CA_CERTS: certificate.path })
  assert.equal(known, { stdout: `${body}\n`, exit: 0 })
  const unknown = await run(args, env)
  assert.is(unknown.exit, 7)
  assert.match(unknown.stdout, 'the certificate is self-signed')
  await server.close()
})

test.run()
