import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import * as O from 'fp-ts/Option'
import type { Fetch, FetchInit, FetchResponse } from '../runtime/runtime'
import { createWorkQueue } from '../runtime/work-queue'
import { maxTimerMs } from '../text/duration'
import type { AnsweringEngine } from './contract/engine'
import { createService, type ServiceEnvironment } from './create-service'
import { createApp } from './http/app'
import type {
  IncomingRequest,
  OutgoingResponse,
  RequestEnv,
  Responder,
  SentResponse,
} from './http/service'
import { createKeys } from './keys/keys'

/** A service that answers requests of this process. It listens on no port. */
export interface InProcessService {
  /** Makes one exchange with the service. Only the path of the URL counts. */
  readonly fetch: Fetch
  /** Closes the engine. */
  readonly close: () => Promise<void>
}

/** The maximum size of a request: that of images, which is the most that `svc serve` can be set to. */
const maxBodyBytes = 32 << 20

/** The settings of a service in this process. */
export interface InProcessOptions {
  /** The maximum time for an answer, without the wait for the engine; 0 means no limit. */
  readonly answerTimeoutMs: number
  /** `true` if the engine gets one request at a time, because it computes in this process. */
  readonly takesOneRequest: boolean
}

/** Starts a service in this process. Requests take the same steps as over HTTP. */
export const startInProcess = (
  engine: AnsweringEngine,
  { answerTimeoutMs, takesOneRequest }: InProcessOptions,
  environment: ServiceEnvironment,
): InProcessService => {
  const limits = {
    keys: createKeys([]),
    maxRequestsPerMinute: 0,
    maxWaiting: Number.POSITIVE_INFINITY,
    maxBodyBytes,
    readTimeoutMs: maxTimerMs,
    idleTimeoutMs: 0,
    answerTimeoutMs: answerTimeoutMs === 0 ? maxTimerMs : Math.min(answerTimeoutMs, maxTimerMs),
  }
  const service = createService(engine, limits, environment, {
    ...unobserved,
    queue: createUnlimitedQueue(),
  })
  const app = createApp(service)
  // The wait for the engine is in this queue, so that it does not count as time of the answer.
  const queue = takesOneRequest
    ? createWorkQueue(1, Number.POSITIVE_INFINITY)
    : createUnlimitedQueue()
  return {
    fetch: async (url, init) => {
      const { pathname, search } = new URL(url)
      const { signal } = init.cancellation
      const answer = () => exchange(app, pathname + search, init)
      const response = await queue.run(signal, answer)
      // None if the exchange is cancelled before its turn.
      if (O.isNone(response)) throw new Error('the exchange is over')
      return response.value
    },
    close: engine.close,
  }
}

const createUnlimitedQueue = () =>
  createWorkQueue(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)

/** Nobody reads the metrics and the readiness of a service in this process. */
const unobserved = {
  metrics: {
    recordRequest: () => undefined,
    recordEngineCall: () => undefined,
    countQuestions: () => undefined,
    countTokens: () => undefined,
    contentType: 'text/plain',
    render: async () => '',
  },
  readiness: {
    findUnreadyReason: async () => undefined,
    recordCall: () => undefined,
    stop: () => undefined,
  },
  findPeer: () => undefined,
}

/** Passes a request to the app, and resolves with the response. Rejects if the exchange is cancelled. */
const exchange = (
  app: ReturnType<typeof createApp>,
  path: string,
  { method, headers, body, cancellation }: FetchInit,
): Promise<FetchResponse> =>
  new Promise((resolve, reject) => {
    const outgoing = new LocalResponse()
    const over = (): void => reject(new Error('the exchange is over'))
    cancellation.onCancel(() => {
      outgoing.disconnect()
      over()
    })
    const responder: Responder = {
      send: (response) => {
        resolve(toFetchResponse(response))
        return noResponse
      },
      // Only engines that pass requests on write responses themselves, and no such engine is in this process.
      write: () => noResponse,
      sendNothing: () => {
        over()
        return noResponse
      },
    }
    const bindings: RequestEnv['Bindings'] = {
      incoming: createIncoming(method, path, headers, body),
      outgoing,
      responder,
    }
    // Node would take 80 ms to load its class `Request`. Hono reads only these members of a request.
    const request = { method, url: `http://${localHost}${path}` } as Request
    Promise.resolve(app.fetch(request, bindings)).then(() => outgoing.finish(), reject)
  })

/** Stands for the response that Hono expects, as the caller has got it already. */
const noResponse = {} as Response

/** The host of requests in this process. */
const localHost = 'localhost'

/** Creates the request as Node would read it from a connection. */
const createIncoming = (
  method: string,
  path: string,
  headers: FetchInit['headers'],
  body: FetchInit['body'] = '',
): IncomingRequest => {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const chunks = typeof body === 'string' || body instanceof Uint8Array ? [body] : body
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)))
  return Object.assign(stream, {
    httpVersion: '1.1',
    method,
    url: path,
    headers: { ...Object.fromEntries(entries), host: localHost },
    rawHeaders: ['Host', localHost],
    socket: {},
  })
}

/** The connection of a caller in this process. */
class LocalResponse extends EventEmitter implements OutgoingResponse {
  destroyed = false
  writableFinished = false
  shouldKeepAlive = false

  /** Ends the connection after the response. */
  finish(): void {
    if (this.destroyed) return
    this.writableFinished = true
    this.emit('close')
  }

  /** Ends the connection before the response. */
  disconnect(): void {
    if (this.writableFinished) return
    this.destroyed = true
    this.emit('close')
  }

  /** A caller in this process reads its response at once. */
  setTimeout(): void {}
}

const toFetchResponse = ({ status, headers, body }: SentResponse): FetchResponse => {
  const values = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return {
    status,
    header: (name) => values.get(name.toLowerCase()) ?? null,
    body: Readable.from([Buffer.from(body)]),
  }
}
