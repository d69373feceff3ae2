import * as E from 'fp-ts/Either'
import type { ServiceClient } from '../../../lib/client/call/call-context'
import { fetchModels } from '../../../lib/client/call/client'
import { prepareHeaders } from '../../../lib/client/call/headers'
import { classify } from '../../../lib/failure/classify'
import type { Failure } from '../../../lib/failure/failure'
import { messageOf } from '../../../lib/failure/message'
import { createRedact } from '../../../lib/failure/text/redact'
import { createFetch } from '../../../lib/runtime/http/fetch'
import { nodeClock } from '../../../lib/runtime/node/clock'
import { noTracer } from '../../../lib/runtime/tracer'
import { createDestination } from '../../support/destination'
import { noLogger } from '../../support/runtime'
import { type Handle, serve } from './servers'

/** A client on the real network whose back-off takes no time. */
export const realEnv = (
  baseUrl: string,
  changes: Partial<Pick<ServiceClient, 'timeout' | 'maxRetries'>> = {},
  signal = new AbortController().signal,
): ServiceClient => ({
  runtime: {
    fetch: createFetch({}),
    clock: { ...nodeClock, sleep: async () => undefined },
    random: () => 0,
  },
  destination: createDestination(baseUrl),
  headers: prepareHeaders(createDestination(baseUrl), 'svc/1.2.3'),
  redact: createRedact(['sk-secret']),
  timeout: 20_000_000_000n,
  maxRetries: 0,
  ...changes,
  log: noLogger,
  tracer: noTracer,
  signal,
})

/** What a call for the models came to: the body, or `<exit> <kind>: <message>` with `HOST` for the host. */
export const outcomeOf = async (env: ServiceClient): Promise<string> => {
  const outcome = await fetchModels(env)()
  return E.isRight(outcome) ? String(outcome.right.body) : described(outcome.left.failure, env)
}

const described = (failure: Failure, { destination }: ServiceClient): string => {
  const { kind, exit } = classify(failure)
  const message = messageOf(failure).replaceAll(new URL(destination.models.url).host, 'HOST')
  return `${exit} ${kind}: ${message}`
}

/** An outcome: a body that does not decode. */
export const invalid = (cause: string) =>
  `6 invalid_response: typesafe: invalid response field "": ${cause}`
/** An outcome: a connection that fails. */
export const broken = (cause: string) => `7 connection: typesafe: connection error: ${cause} (HOST)`

/** What the client makes of a server, and that it lets go of every connection. */
export const outcome = async (
  handle: Handle,
  changes: Partial<Pick<ServiceClient, 'timeout' | 'maxRetries'>> = {},
) => {
  const server = await serve(handle)
  try {
    const result = await outcomeOf(realEnv(`http://127.0.0.1:${server.port}`, changes))
    await server.quiet()
    return { result, connections: server.connections() }
  } finally {
    await server.close()
  }
}

/** The same client with a timeout that fires when it is told to, and once headers have come. */
export const withManualTimeout = (env: ServiceClient) => {
  let expire = (): void => undefined
  const clock: typeof env.runtime.clock = {
    ...env.runtime.clock,
    timer: (_, run) => {
      expire = run
      return () => undefined
    },
  }
  const fetch: typeof env.runtime.fetch = async (url, init) => {
    const response = await env.runtime.fetch(url, init)
    setImmediate(() => expire())
    return response
  }
  return { env: { ...env, runtime: { ...env.runtime, clock, fetch } }, expire: () => expire() }
}
