import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Agent } from 'node:http'
import type { RequestOptions } from 'node:https'
import * as E from 'fp-ts/Either'
import type { WithAddRequest } from '../runtime/http/fetch'
import { chooseProxy } from '../runtime/http/proxy-choice'
import { reasonOf } from '../runtime/node/error-reason'
import type { Runtime } from '../runtime/runtime'
import type { OtlpSettings } from './decode-exporter'
import { createNameLookup } from './name-lookup'

/**
 * Creates the HTTP agent of one exporter. The agent connects through the proxy that the environment names, otherwise directly. It uses
 * the TLS files of the settings. It closes each connection after use. Fails if a TLS file or the address of the proxy cannot be used.
 *
 * Once `shutdownSignal` fires, the exporter no longer retries after connection failures. Retries would delay the exit by several
 * seconds. OpenTelemetry has no setting to prevent them.
 */
export const createCollectorAgent = async (
  { endpoint, tls }: OtlpSettings,
  runtime: Pick<Runtime, 'env' | 'files' | 'signal'>,
  shutdownSignal: AbortSignal,
): Promise<E.Either<string, Agent>> => {
  const tlsFiles = await readTlsFiles(tls, runtime)
  if (E.isLeft(tlsFiles)) return tlsFiles
  const proxy = chooseProxy(runtime.env, endpoint)
  if (E.isLeft(proxy)) return proxy
  const agent = await createAgent(endpoint, proxy.right)
  const requestOptions = { ...tlsFiles.right, lookup: createNameLookup(runtime.files) }
  hookRequests(agent, requestOptions, shutdownSignal)
  return E.right(agent)
}

const createAgent = async (endpoint: URL, proxy: URL | undefined): Promise<Agent> => {
  if (proxy !== undefined) {
    const { createProxyAgent } = await import('../runtime/http/proxy-agent')
    return createProxyAgent(proxy, endpoint)
  }
  const { Agent: AgentClass } =
    endpoint.protocol === 'https:' ? await import('node:https') : await import('node:http')
  return new AgentClass({ keepAlive: false })
}

/**
 * Adds options to the requests through an agent, and prevents retries once `shutdownSignal` fires. Overrides the method of the agent that
 * Node calls with each request, because the agents for proxies take no such options.
 */
const hookRequests = (
  agent: Agent,
  requestOptions: Pick<RequestOptions, 'lookup'> & TlsFiles,
  shutdownSignal: AbortSignal,
): void => {
  const hookedAgent = agent as unknown as WithAddRequest
  const addRequest = hookedAgent.addRequest.bind(agent)
  hookedAgent.addRequest = (request, options) => {
    request.once('error', (error: NodeJS.ErrnoException) => {
      // The exporter retries only after errors that have a code.
      if (shutdownSignal.aborted) delete error.code
    })
    return addRequest(request, { ...(options as RequestOptions), ...requestOptions })
  }
}

const maxPemBytes = 4 << 20

/** The TLS files of a connection, as options of Node's TLS. */
type TlsFiles = Pick<RequestOptions, 'ca' | 'cert' | 'key'>

const parseCertificate = (pem: Buffer): unknown => new X509Certificate(pem)

/** Reads the TLS files and checks that they are usable. On failure the message begins with the name of the setting: `tls.ca_file`. */
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

/**
 * Reads a PEM file. Returns `undefined` if `file` is `undefined`. Fails if the file cannot be read, if it is too large, or if `parse`
 * throws because of its content.
 */
const readPemFile = async (
  setting: string,
  file: string | undefined,
  parse: (pem: Buffer) => unknown,
  { files, signal }: Pick<Runtime, 'files' | 'signal'>,
): Promise<E.Either<string, Buffer | undefined>> => {
  if (file === undefined) return E.right(undefined)
  let pem: Buffer
  try {
    const { bytes } = await files.readRegular(file, { maxBytes: maxPemBytes, signal })
    if (bytes.length > maxPemBytes) return E.left(`${setting}: read ${file}: larger than 4 MiB`)
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
