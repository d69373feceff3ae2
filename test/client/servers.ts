import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server as NetServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'

/** A server that is told its bytes, and what it saw. */
export interface Server {
  readonly port: number
  /** Connections so far. */
  readonly connections: () => number
  /** Everything that came in, as text. */
  readonly received: () => string
  /** Resolves when every connection has closed. */
  readonly quiet: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Handles one connection after its first bytes came. */
export type Handle = (socket: Socket, connection: number) => void

/** Starts a plain TCP server on a free port of 127.0.0.1. */
export const serve = (handle: Handle): Promise<Server> =>
  started(createServer(), 'connection', handle)

/** A certificate for `localhost` that nobody vouches for, and its key. */
export interface Certificate {
  readonly key: string
  readonly cert: string
  /** The certificate's file, while the process runs. */
  readonly path: string
}

/** Starts a TLS server on a free port of 127.0.0.1. */
export const serveTls = (certificate: Certificate, handle: Handle): Promise<Server> =>
  started(createTlsServer(certificate), 'secureConnection', handle)

const started = async (server: NetServer, event: string, handle: Handle): Promise<Server> => {
  const open = new Set<Socket>()
  const texts: Array<string> = []
  let count = 0
  let onQuiet = (): void => undefined
  server.on(event, (socket: Socket) => {
    const number = ++count
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      open.delete(socket)
      if (open.size === 0) onQuiet()
    })
    socket.on('data', (bytes) => texts.push(String(bytes)))
    socket.once('data', () => handle(socket, number))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => count,
    received: () => texts.join(''),
    quiet: () =>
      new Promise((done) => {
        if (open.size === 0) done()
        onQuiet = done
      }),
    close: () =>
      new Promise((done) => {
        for (const socket of open) socket.destroy()
        server.close(() => done())
      }),
  }
}

/** Makes a certificate with openssl; `undefined` where there is none. */
export const makeCertificate = (): Certificate | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const keyPath = join(folder, 'key.pem')
  const path = join(folder, 'cert.pem')
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  try {
    execFileSync(
      'openssl',
      ['req', '-x509', ...key, '-days', '2', ...subject, '-keyout', keyPath, '-out', path],
      { stdio: 'ignore' },
    )
  } catch {
    return undefined
  }
  return { key: readFileSync(keyPath, 'utf8'), cert: readFileSync(path, 'utf8'), path }
}

/** A response's bytes: status line, headers, body. */
export const response = (
  status: string,
  headers: Readonly<Record<string, string | number>>,
  body: string | Uint8Array = '',
): Buffer => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`),
    Buffer.from(body),
  ])
}
