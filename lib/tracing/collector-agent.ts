import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import type { Readable } from 'node:stream'
import * as E from 'fp-ts/Either'
import { chooseProxy } from '../runtime/http/proxy-choice'
import type { AddRequest } from '../runtime/http/watch-exchange'
import type { Runtime } from '../runtime/runtime'
import { createNameLookup } from './name-lookup'
import type { OtlpSettings } from './read-exporter'
import { readTlsFiles } from './tls-files'

/**
 * Creates the agent for the requests of one exporter: through the proxy that the environment names (D24) or
 * directly to the collector, with the TLS files of the settings, over connections that are not kept. Fails
 * where a file or a proxy setting cannot be used.
 *
 * It does two things to each request for which OpenTelemetry's exporter has no setting. It enforces the size
 * limits of the configuration (D34). And once the run is `ending`, it prevents retries after connection
 * failures, which would keep the program waiting for several seconds (D35).
 */
export const createCollectorAgent = async (
  settings: OtlpSettings,
  { env, files, signal }: Pick<Runtime, 'env' | 'files' | 'signal'>,
  ending: AbortSignal,
): Promise<E.Either<string, Agent>> => {
  const { endpoint, max_request_size, max_response_size } = settings
  const tls = await readTlsFiles(settings.tls, { files, signal })()
  if (E.isLeft(tls)) return tls
  const proxy = chooseProxy(env, endpoint)
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
      // The library decides by this code whether to retry.
      if (ending.aborted) delete error.code
    })
    limitBody(max_request_size, request, 'pipe', 'the request is too large')
    limitBody(max_response_size, request, 'response', 'the answer is too large')
    const given = options as RequestOptions
    return addRequest(request, { ...given, ...tls.right, lookup: createNameLookup(files) })
  }
  return E.right(agent)
}

/** Aborts a request when the body that an event delivers exceeds `most` bytes. */
const limitBody = (
  most: number,
  request: ClientRequest,
  event: 'pipe' | 'response',
  cause: string,
): void => {
  request.once(event, (body: Readable | IncomingMessage) => {
    let size = 0
    body.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > most) request.destroy(new Error(cause))
    })
  })
}
