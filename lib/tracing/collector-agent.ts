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
  const pem = await readTlsFiles(tls, runtime)
  if (E.isLeft(pem)) return pem
  const proxy = chooseProxy(runtime.env, endpoint)
  if (E.isLeft(proxy)) return proxy
  const { Agent } =
    endpoint.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const agent =
    proxy.right === undefined
      ? new Agent({ keepAlive: false })
      : (await import('../runtime/http/proxy-agent')).createProxyAgent(proxy.right, endpoint)
  const hookable = agent as unknown as WithAddRequest
  const addRequest = hookable.addRequest.bind(agent)
  const lookup = createNameLookup(runtime.files)
  hookable.addRequest = (request, options) => {
    request.once('error', (error: NodeJS.ErrnoException) => {
      // The exporter retries only errors that have a code.
      if (ending.aborted) delete error.code
    })
    return addRequest(request, { ...(options as RequestOptions), ...pem.right, lookup })
  }
  return E.right(agent)
}

/** A device or pipe that never ends is read up to this limit. */
const maxPemBytes = 4 << 20

/** The TLS files of a connection, as options of Node's TLS. */
type TlsFiles = Pick<RequestOptions, 'ca' | 'cert' | 'key'>

const parseCertificate = (pem: Buffer): unknown => new X509Certificate(pem)

/** Reads the TLS files, and checks that they are usable. A message begins with the key of the document. */
const readTlsFiles = async (
  { ca_file, cert_file, key_file }: OtlpSettings['tls'],
  { files, signal }: Pick<Runtime, 'files' | 'signal'>,
): Promise<E.Either<string, TlsFiles>> => {
  const sources = [
    ['ca', ca_file, parseCertificate],
    ['cert', cert_file, parseCertificate],
    ['key', key_file, createPrivateKey],
  ] as const
  const contents: { ca?: Buffer; cert?: Buffer; key?: Buffer } = {}
  for (const [name, file, parse] of sources) {
    if (file === undefined) continue
    try {
      const { bytes } = await files.readRegular(file, { limit: maxPemBytes, signal })
      contents[name] = Buffer.from(bytes)
    } catch (error) {
      return E.left(`tls.${name}_file: read ${file}: ${reasonOf(error)}`)
    }
    try {
      parse(contents[name])
    } catch {
      return E.left(`tls.${name}_file: ${file} is not a PEM file of the right kind`)
    }
  }
  const { cert, key } = contents
  const fits = !cert || !key || new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  return fits
    ? E.right(contents)
    : E.left('tls.key_file: does not belong to the certificate of cert_file')
}
