import type { ServiceClient } from '../../../lib/client/call/call-context'
import { prepareHeaders } from '../../../lib/client/call/headers'
import type { AskRequest } from '../../../lib/codec/request'
import { createRedact } from '../../../lib/failure/text/redact'
import type { FetchInit, FetchResponse, Runtime } from '../../../lib/runtime/runtime'
import { noTracer } from '../../../lib/runtime/tracer'
import { handClock } from '../../support/clock'
import { createDestination } from '../../support/destination'
import { noLogger } from '../../support/runtime'

/** An answer to one request: what comes back, or an error, or nothing until the signal fires. */
export type Reply = Error | 'stall' | FakeResponse

export interface FakeResponse {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Comes after the body's bytes. */
  readonly after?: Error | 'stall'
  readonly endsWithConnection?: boolean
}

/** A request as the fake network saw it. */
interface SentRequest extends FetchInit {
  readonly url: string
}

/** An environment whose network plays `replies` in turn and whose clock moves only in sleeps. */
export const fakeEnv = (
  replies: ReadonlyArray<Reply>,
  changes: Partial<Pick<ServiceClient, 'destination' | 'timeout' | 'maxRetries'>> = {},
) => {
  const sent: Array<SentRequest> = []
  const clock = handClock()
  const controller = new AbortController()
  const fetch: Runtime['fetch'] = async (url, init) => {
    sent.push({ url, ...init })
    const reply = replies[sent.length - 1]
    if (reply === undefined) throw new Error(`no reply for request ${sent.length}`)
    if (reply === 'stall') return stalled(init.cancellation.signal)
    if (reply instanceof Error) throw reply
    return respond(reply, init.cancellation.signal)
  }
  const destination = changes.destination ?? createDestination('http://service.test/api')
  const env: ServiceClient = {
    runtime: { fetch, clock, random: () => 0 },
    destination: destination,
    headers: prepareHeaders(destination, 'svc/1.2.3'),
    redact: createRedact(['sk-secret']),
    timeout: 10_000_000_000n,
    maxRetries: 2,
    ...changes,
    log: noLogger,
    tracer: noTracer,
    signal: controller.signal,
  }
  /** Fires the timer of the attempt under way. */
  const timeOut = () => clock.pass(clock.timers().at(-1) ?? 0)
  return { env, clock, sent, waits: clock.waits, timeOut, cancel: () => controller.abort() }
}

const stalled = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = () => reject(Object.assign(new Error('aborted'), { name: 'AbortError' }))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
  })

const respond = (reply: FakeResponse, signal: AbortSignal): FetchResponse => ({
  status: reply.status ?? 200,
  header: (name) => {
    const found = Object.entries(reply.headers ?? {}).find(([key]) => key.toLowerCase() === name)
    return found?.[1] ?? null
  },
  body: bytesOf(reply, signal),
  ...(reply.endsWithConnection === undefined
    ? {}
    : { endsWithConnection: reply.endsWithConnection }),
})

async function* bytesOf(reply: FakeResponse, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield Buffer.from(reply.body ?? '')
  if (reply.after === 'stall') await stalled(signal)
  if (reply.after instanceof Error) throw reply.after
}

/** An error with a code, as the network raises it. */
export const networkError = (code: string, message = code): Error =>
  Object.assign(new Error(message), { code })

/** Lets everything that waits for nothing but the event loop go on. */
export const settle = (): Promise<void> => new Promise((done) => setImmediate(done))

/** A request with two questions. */
export const request: AskRequest = {
  state: 'sk-state',
  questions: [
    ['a', { type: 'noul', instructions: 'Really?' }],
    ['b', { type: 'choice', criteria: [['x', null]] }],
  ],
  extra: new Map(),
}
/** Its answer. */
export const good: FakeResponse = {
  headers: { 'x-service-request-id': 'req_ok' },
  body: `{"model":"svc-1","answers":{"a":{"type":"noul","noul":0.50},"b":{"type":"choice","choice":"x","confidence":1}},"usage":{"input_tokens":7,"output_tokens":null}}`,
}
/** A service that is busy. */
export const busy = (headers: Readonly<Record<string, string>> = {}): Reply => ({
  status: 503,
  headers,
})
