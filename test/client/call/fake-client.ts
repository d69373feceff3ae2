import type { ServiceClient } from '../../../lib/client/call/client'
import { createClientHeaders } from '../../../lib/client/call/encode-call'
import type { AskRequest } from '../../../lib/codec/request'
import type { FetchInit, FetchResponse, Runtime } from '../../../lib/runtime/runtime'
import { noTracer } from '../../../lib/runtime/tracer'
import { createRedact } from '../../../lib/text/secret'
import { createManualClock } from '../../support/clock'
import { createDestination } from '../../support/destination'
import { noLogger } from '../../support/runtime'

const tenSecondsNs = 10_000_000_000n

/** The reply to a request: a response, or an error of the network. `stall` is no reply until the request is aborted. */
export type Reply = FakeResponse | Error | 'stall'

export interface FakeResponse {
  /** 200 by default. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** The event after the bytes of the body: an error of the network, or with `stall` nothing until the request is aborted. */
  readonly bodyEnd?: Error | 'stall'
}

/** A request that the fake network received. */
interface SentRequest extends FetchInit {
  readonly url: string
}

/** Creates a client whose network sends `replies` in order, and whose clock moves only while the client sleeps. */
export const createFakeClient = (
  replies: ReadonlyArray<Reply>,
  limits: Partial<Pick<ServiceClient, 'timeout'>> = {},
) => {
  const sentRequests: SentRequest[] = []
  const clock = createManualClock()
  const controller = new AbortController()
  const fetch: Runtime['fetch'] = async (url, init) => {
    sentRequests.push({ url, ...init })
    const reply = replies[sentRequests.length - 1]
    if (reply === undefined) throw new Error(`no reply for request ${sentRequests.length}`)
    if (reply === 'stall') return waitForAbort(init.cancellation.signal)
    if (reply instanceof Error) throw reply
    return createResponse(reply, init.cancellation.signal)
  }
  const destination = createDestination('http://service.test/api')
  const client: ServiceClient = {
    runtime: { fetch, clock, random: () => 0 },
    destination,
    headers: createClientHeaders(destination, 'svc/1.2.3'),
    redact: createRedact(['sk-secret']),
    timeout: tenSecondsNs,
    maxRetries: 2,
    ...limits,
    log: noLogger,
    tracer: noTracer,
    signal: controller.signal,
  }
  return { client, clock, sentRequests, waits: clock.waits, cancel: () => controller.abort() }
}

const waitForAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const rejectAborted = () => reject(Object.assign(new Error('aborted'), { name: 'AbortError' }))
    if (signal.aborted) rejectAborted()
    signal.addEventListener('abort', rejectAborted)
  })

const createResponse = (reply: FakeResponse, signal: AbortSignal): FetchResponse => {
  const headers = new Map<string, string>()
  for (const [name, value] of Object.entries(reply.headers ?? {}))
    headers.set(name.toLowerCase(), value)
  return {
    status: reply.status ?? 200,
    header: (name) => headers.get(name) ?? null,
    body: createBody(reply, signal),
  }
}

async function* createBody(reply: FakeResponse, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield Buffer.from(reply.body ?? '')
  if (reply.bodyEnd === 'stall') await waitForAbort(signal)
  if (reply.bodyEnd instanceof Error) throw reply.bodyEnd
}

/** Creates an error with a code, as Node's network throws it. */
export const createNetworkError = (code: string, message = code): Error =>
  Object.assign(new Error(message), { code })

/** Waits until pending callbacks of the event loop have run, such as those of a request that has been started. */
export const runPendingCallbacks = (): Promise<void> =>
  new Promise((resolve) => setImmediate(resolve))

/** A request with a yes/no question (type `noul`) and a choice. */
export const askRequest: AskRequest = {
  state: 'sk-state',
  questions: [
    ['a', { type: 'noul', instructions: 'Really?' }],
    ['b', { type: 'choice', criteria: [['x', null]] }],
  ],
  extra: new Map(),
}

/** A response to `askRequest`. */
export const fakeAskResponse: FakeResponse = {
  headers: { 'x-service-request-id': 'req_ok' },
  body: `{
    "model": "svc-1",
    "answers": {
      "a": {"type": "noul", "noul": 0.50},
      "b": {"type": "choice", "choice": "x", "confidence": 1}
    },
    "usage": {"input_tokens": 7, "output_tokens": null}
  }`,
}

/** Creates a response with status 503. */
export const createBusyResponse = (headers: Readonly<Record<string, string>> = {}): Reply => ({
  status: 503,
  headers,
})
