import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Agent } from 'node:http'
import type { RequestOptions } from 'node:https'
import * as E from 'fp-ts/Either'
import { chooseProxy } from '../runtime/http/proxy-choice'
import type { WithAddRequest } from '../runtime/http/watch-exchange'
import { reasonOf } from '../runtime/node/error-reason'
import type { Runtime } from '../runtime/runtime'
import type { OtlpSettings } from './decode-exporter'
import { createNameLookup } from './name-lookup'

/**
 * Creates the HTTP agent of one exporter. It connects through the proxy that the environment names, or else directly to
 * the collector, with the TLS files of the settings, and closes each connection after use. Fails if a file or a proxy
 * setting cannot be used.
 *
 * Once `ending` fires, the exporter no longer retries after connection failures, which would delay the exit by several
 * seconds. OpenTelemetry has no setting for that.
 */
export const createCollectorAgent = async (
  { endpoint, tls }: OtlpSettings,
  runtime: Pick<Runtime, 'env' | 'files' | 'signal'>,
  ending: AbortSignal,
): Promise<E.Either<string, Agent>> => {
  const tlsFiles = await readTlsFiles(tls, runtime)
  if (E.isLeft(tlsFiles)) return tlsFiles
  const proxy = chooseProxy(runtime.env, endpoint)
  if (E.isLeft(proxy)) return proxy
  const { Agent } =
    endpoint.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const agent =
    proxy.right === undefined
      ? new Agent({ keepAlive: false })
      : (await import('../runtime/http/proxy-agent')).createProxyAgent(proxy.right, endpoint)
  const lookup = createNameLookup(runtime.files)
  const hookedAgent = agent as unknown as WithAddRequest
  const addRequest = hookedAgent.addRequest.bind(agent)
  hookedAgent.addRequest = (request, options) => {
    request.once('error', (error: NodeJS.ErrnoException) => {
      // The exporter retries only errors that have a code.
      if (ending.aborted) delete error.code
    })
    return addRequest(request, { ...(options as RequestOptions), ...tlsFiles.right, lookup })
  }
  return E.right(agent)
}

const maxPemBytes = 4 << 20

/** The TLS files of a connection, as options of Node's TLS. */
type TlsFiles = Pick<RequestOptions, 'ca' | 'cert' | 'key'>

const parseCertificate = (pem: Buffer): unknown => new X509Certificate(pem)

/** Reads the TLS files, and checks that they are usable. A message begins with the key of the document. */
const readTlsFiles = async (
  { ca_file, cert_file, key_file }: OtlpSettings['tls'],
  runtime: Pick<Runtime, 'files' | 'signal'>,
): Promise<E.Either<string, TlsFiles>> => {
  const ca = await readPemFile('tls.ca_file', ca_file, parseCertificate, runtime)
  if (E.isLeft(ca)) return ca
  const cert = await readPemFile('tls.cert_file', cert_file, parseCertificate, runtime)
  if (E.isLeft(cert)) return cert
  const key = await readPemFile('tls.key_file', key_file, createPrivateKey, runtime)
  if (E.isLeft(key)) return key
  if (cert.right !== undefined && key.right !== undefined) {
    const certificate = new X509Certificate(cert.right)
    if (!certificate.checkPrivateKey(createPrivateKey(key.right)))
      return E.left('tls.key_file: does not belong to the certificate of cert_file')
  }
  return E.right({ ca: ca.right, cert: cert.right, key: key.right })
}

/** Reads a PEM file. `parse` throws if it has the wrong content. Returns `undefined` if the settings name no file. */
const readPemFile = async (
  setting: string,
  file: string | undefined,
  parse: (pem: Buffer) => unknown,
  { files, signal }: Pick<Runtime, 'files' | 'signal'>,
): Promise<E.Either<string, Buffer | undefined>> => {
  if (file === undefined) return E.right(undefined)
  let pem: Buffer
  try {
    const { bytes } = await files.readRegular(file, { limit: maxPemBytes, signal })
    pem = Buffer.from(bytes)
  } catch (error) {
    return E.left(`${setting}: read ${file}: ${reasonOf(error)}`)
  }
  try {
    parse(pem)
    return E.right(pem)
  } catch {
    return E.left(`${setting}: ${file} is not a PEM file of the right kind`)
  }
}
