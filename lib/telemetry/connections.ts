import type { Agent } from 'node:http'
import type { RequestOptions } from 'node:https'
import * as E from 'fp-ts/Either'
import type { AddRequest } from '../runtime/connection'
import { hasProxy } from '../runtime/has-proxy'
import type { Runtime } from '../runtime/runtime'
import type { OtlpConfig } from './config'
import { boundedLookup } from './lookup'
import type { Fault } from './reader'
import { limitSizes } from './sizes'

/** The connections of one exporter, and their end. */
export interface Connections {
  /** For the exporter's requests. */
  readonly agent: Agent
  /** From now on a connection that fails is not tried again. */
  readonly drain: () => void
  /** Ends every request, with its socket and its lookup, and lets no other begin. */
  readonly close: (cause: string) => void
}

/** The longest time that a timer takes; a longer limit is none. */
export const longestTimer = 2 ** 31 - 1

/**
 * The way to an exporter's collector: through the environment's proxy (D24), else directly, with
 * the TLS files of the document, over connections that are not kept.
 *
 * The exporter library knows an idle timeout only, and cannot be told to stop. So that `timeout`
 * holds for a collector that drips (D34) and no socket outlives the end of a run (D35), each
 * request is watched here, where the library lets it through.
 */
export const connectionsTo = async (
  config: OtlpConfig,
  { clock, env, files }: Pick<Runtime, 'clock' | 'env' | 'files'>,
): Promise<E.Either<Fault, Connections>> => {
  const { endpoint } = config
  const read =
    Object.keys(config.tls).length === 0
      ? E.right({})
      : await (await import('./tls')).tlsOptions(config.tls, files)
  if (E.isLeft(read)) return read
  const tls = read.right
  const proxyFor = hasProxy(env) ? (await import('../runtime/proxy')).proxyFor : () => undefined
  const { Agent } =
    endpoint.protocol === 'https:' ? await import('node:https') : await import('node:http')

  const open = new Set<(cause: string) => void>()
  let draining = false
  let closed: string | undefined
  const agent: Agent = new Agent({ keepAlive: false })
  const direct = agent as unknown as AddRequest
  const connect = direct.addRequest.bind(agent)

  direct.addRequest = (request, options) => {
    if (closed !== undefined) throw new Error(closed)
    const ended = new AbortController()
    const end = (cause: string): void => {
      request.destroy(new Error(cause))
      ended.abort()
    }
    const stop =
      config.timeout > 0 && config.timeout <= longestTimer
        ? clock.timer(config.timeout, () => end(`no answer within ${config.timeout} ms`))
        : () => undefined
    open.add(end)
    request.once('close', () => {
      stop()
      open.delete(end)
      ended.abort()
    })
    request.once('error', (error: NodeJS.ErrnoException) => {
      // The library tries again by the error's code: for seconds, where nobody listens.
      if (draining) error.code = undefined
    })
    request.once('proxyConnect', ({ statusCode }: { readonly statusCode: number }) => {
      if (statusCode !== 200) end(`the proxy answered ${statusCode}`)
    })
    limitSizes(request, config, end)
    const secured = { ...(options as RequestOptions), ...tls }
    const proxy = proxyFor(endpoint.href, ended.signal)
    return proxy === undefined
      ? connect(request, { ...secured, lookup: boundedLookup(files, ended.signal) })
      : (proxy.agent as unknown as AddRequest).addRequest(request, secured)
  }

  return E.right({
    agent,
    drain: () => {
      draining = true
    },
    close: (cause) => {
      closed = cause
      for (const end of open) end(cause)
    },
  })
}
