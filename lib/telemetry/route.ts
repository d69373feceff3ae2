import { createPrivateKey, X509Certificate } from 'node:crypto'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent, type RequestOptions } from 'node:https'
import * as E from 'fp-ts/Either'
import { hasProxy } from '../runtime/node-fetch'
import { reasonOf } from '../runtime/reason'
import type { Runtime } from '../runtime/runtime'
import type { FileRef } from './config'
import { boundedLookup } from './lookup'
import type { OtlpConfig } from './otlp-exporter'
import { type Fault, fault } from './reader'

/** How one request reaches a collector. */
export interface Route {
  readonly options: RequestOptions
  /** The exchange, with a refusal by a proxy as its error. */
  readonly watch: <A>(exchange: Promise<A>) => Promise<A>
}

/** A way for each request: what the signal ends leaves nothing behind. */
export type Routes = (signal: AbortSignal) => Promise<Route>

/**
 * The ways to an exporter's endpoint: through the environment's proxy (D24), else directly,
 * over a connection that is not kept (D35). TLS files are read and checked now, so that a
 * fault names its place in the document. D34
 */
export const routesTo = async (
  { endpoint, tls }: OtlpConfig,
  { env, files }: Pick<Runtime, 'env' | 'files'>,
): Promise<E.Either<Fault, Routes>> => {
  const options = await tlsOptions(tls, files)
  if (E.isLeft(options)) return options
  const Agent = endpoint.protocol === 'https:' ? HttpsAgent : HttpAgent
  const proxied = hasProxy(env)
  return E.right(async (signal) => {
    const proxy = proxied
      ? (await import('../runtime/proxy')).proxyFor(endpoint.href, signal)
      : undefined
    if (proxy !== undefined) {
      return { options: { ...options.right, agent: proxy.agent }, watch: proxy.watch }
    }
    const agent = new Agent({ keepAlive: false })
    const lookup = boundedLookup(files, signal)
    return { options: { ...options.right, agent, lookup }, watch: (exchange) => exchange }
  })
}

const tlsOptions = async (
  { ca, cert, key }: OtlpConfig['tls'],
  files: Runtime['files'],
): Promise<E.Either<Fault, { readonly ca?: string; cert?: string; key?: string }>> => {
  const authority = await pem(ca, files, (text) => new X509Certificate(text))
  if (E.isLeft(authority)) return authority
  const certificate = await pem(cert, files, (text) => new X509Certificate(text))
  if (E.isLeft(certificate)) return certificate
  const secret = await pem(key, files, createPrivateKey)
  if (E.isLeft(secret)) return secret
  const own = certificate.right
  const ownKey = secret.right
  if (key !== undefined && own !== undefined && ownKey !== undefined) {
    const fits = new X509Certificate(own).checkPrivateKey(createPrivateKey(ownKey))
    if (!fits) return fault(key.path, 'does not belong to the certificate of cert_file')
  }
  return E.right({
    ...(authority.right !== undefined && { ca: authority.right }),
    ...(own !== undefined && { cert: own }),
    ...(ownKey !== undefined && { key: ownKey }),
  })
}

const pem = async (
  ref: FileRef | undefined,
  files: Runtime['files'],
  check: (text: string) => unknown,
): Promise<E.Either<Fault, string | undefined>> => {
  if (ref === undefined) return E.right(undefined)
  let text: string
  try {
    text = Buffer.from(await files.read(ref.file)).toString('latin1')
  } catch (error) {
    return fault(ref.path, `read ${ref.file}: ${reasonOf(error)}`)
  }
  return E.isRight(
    E.tryCatch(
      () => check(text),
      () => undefined,
    ),
  )
    ? E.right(text)
    : fault(ref.path, 'is not a PEM file of the right kind')
}
