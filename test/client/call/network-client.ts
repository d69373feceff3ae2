import * as E from 'fp-ts/Either'
import { fetchModels, type ServiceClient } from '../../../lib/client/call/client'
import { createClientHeaders } from '../../../lib/client/call/encode-call'
import { classify, messageOf } from '../../../lib/failure/report'
import { createFetch } from '../../../lib/runtime/http/fetch'
import { nodeClock } from '../../../lib/runtime/node/clock'
import { noTracer } from '../../../lib/runtime/tracer'
import { createRedact } from '../../../lib/text/secret'
import { createDestination } from '../../support/destination'
import { noLogger } from '../../support/runtime'
import { type ConnectionHandler, startByteServer } from './byte-server'

const twentySecondsNs = 20_000_000_000n

export type ClientLimits = Partial<Pick<ServiceClient, 'timeout' | 'maxRetries'>>

/** Creates a client that uses the real network and retries without waiting. By default it makes one attempt of 20 s. */
export const createNetworkClient = (baseUrl: string, limits: ClientLimits = {}): ServiceClient => {
  const destination = createDestination(baseUrl)
  return {
    runtime: {
      fetch: createFetch({}),
      clock: { ...nodeClock, sleep: async () => undefined },
      random: () => 0,
    },
    destination,
    headers: createClientHeaders(destination, 'svc/1.2.3'),
    redact: createRedact(['sk-secret']),
    timeout: twentySecondsNs,
    maxRetries: 0,
    ...limits,
    log: noLogger,
    tracer: noTracer,
    signal: new AbortController().signal,
  }
}

/** Fetches the models. Returns the body, or the failure as `<exit code> <kind>: <message>`. `HOST` replaces the host in the message. */
export const describeModelsCall = async (client: ServiceClient): Promise<string> => {
  const response = await fetchModels(client)
  if (E.isRight(response)) return String(response.right.body)
  const { failure } = response.left
  const { kind, exitCode } = classify(failure)
  const { host } = new URL(client.destination.models.url)
  return `${exitCode} ${kind}: ${messageOf(failure).replaceAll(host, 'HOST')}`
}

/** The description of a call whose response body cannot be decoded. */
export const describeInvalidBody = (cause: string): string =>
  `6 invalid_response: typesafe: invalid response field "": ${cause}`

/** The description of a call whose connection failed. */
export const describeConnectionError = (cause: string): string =>
  `7 connection: typesafe: connection error: ${cause} (HOST)`

/**
 * Calls a server like `describeModelsCall`, and counts the connections. Waits until the client has closed all of them, without a time
 * limit.
 */
export const callByteServer = async (handle: ConnectionHandler, limits?: ClientLimits) => {
  const server = await startByteServer(handle)
  try {
    const client = createNetworkClient(`http://127.0.0.1:${server.port}`, limits)
    const result = await describeModelsCall(client)
    await server.waitUntilDisconnected()
    return { result, connections: server.countConnections() }
  } finally {
    await server.close()
  }
}

/** Replaces the timer of a client. Its timeout expires when you call `expire`, and when response headers have been received. */
export const withManualTimeout = (client: ServiceClient) => {
  let expireTimer = (): void => undefined
  const expire = (): void => expireTimer()
  const clock: typeof client.runtime.clock = {
    ...client.runtime.clock,
    timer: (_, run) => {
      expireTimer = run
      return () => undefined
    },
  }
  const fetch: typeof client.runtime.fetch = async (url, init) => {
    const response = await client.runtime.fetch(url, init)
    setImmediate(expire)
    return response
  }
  return { client: { ...client, runtime: { ...client.runtime, clock, fetch } }, expire }
}
