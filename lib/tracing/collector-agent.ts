import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Agent } from 'node:http'
import type { RequestOptions } from 'node:https'
import * as E from 'fp-ts/Either'
import { chooseProxy } from '../runtime/http/proxy-choice'
import type { AddRequest } from '../runtime/http/watch-exchange'
import { reasonOf } from '../runtime/node/error-reason'
import type { Runtime } from '../runtime/runtime'
import type { OtlpSettings } from './decode-exporter'

/**
 * Creates the agent for the requests of one exporter: through the proxy that the environment names or directly to the
 * collector, with the TLS files of the settings, over connections that are not kept. Fails if a file or a proxy setting
 * cannot be used.
 *
 * Once the run is `ending`, it prevents retries after connection failures, for which OpenTelemetry's exporter has no
 * setting. They would keep the program waiting for several seconds.
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
  const hookable = agent as unknown as AddRequest
  const addRequest = hookable.addRequest.bind(agent)
  hookable.addRequest = (request, options) => {
    request.once('error', (error: NodeJS.ErrnoException) => {
      // The exporter retries only errors that have a code.
      if (ending.aborted) delete error.code
    })
    return addRequest(request, { ...(options as RequestOptions), ...pem.right })
  }
  return E.right(agent)
}

/** The limit also ends the reading of a device or pipe that never ends. */
const maxPemBytes = 4 << 20

/**
 * Reads the certificate authorities that a connection trusts and the certificate it presents, as options of Node's TLS.
 * It checks them now, so that an error can name the key of the document.
 */
const readTlsFiles = async (
  { ca_file, cert_file, key_file }: OtlpSettings['tls'],
  { files, signal }: Pick<Runtime, 'files' | 'signal'>,
): Promise<E.Either<string, Pick<RequestOptions, 'ca' | 'cert' | 'key'>>> => {
  const wanted = [
    ['ca', ca_file, (pem: Uint8Array) => new X509Certificate(pem)],
    ['cert', cert_file, (pem: Uint8Array) => new X509Certificate(pem)],
    ['key', key_file, (pem: Uint8Array) => createPrivateKey(Buffer.from(pem))],
  ] as const
  const read: Record<string, Buffer> = {}
  for (const [name, file, parse] of wanted) {
    if (file === undefined) continue
    try {
      const { bytes } = await files.readRegular(file, { limit: maxPemBytes, signal })
      read[name] = Buffer.from(bytes)
    } catch (error) {
      return E.left(`tls.${name}_file: read ${file}: ${reasonOf(error)}`)
    }
    try {
      parse(read[name])
    } catch {
      return E.left(`tls.${name}_file: ${file} is not a PEM file of the right kind`)
    }
  }
  const { cert, key } = read
  const fits = !cert || !key || new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  return fits
    ? E.right(read)
    : E.left('tls.key_file: does not belong to the certificate of cert_file')
}
