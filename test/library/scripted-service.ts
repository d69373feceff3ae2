import type { IncomingHttpHeaders } from 'node:http'
import * as assert from 'uvu/assert'
import { type ClientOptions, createClient } from '../../lib/library'
import { readRequestBody, startHttpServer, type TestServer } from '../support/servers'

/** A response of the service. The default status is 200. */
export interface ScriptedReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent as it is, any other value as JSON. */
  readonly body: unknown
}

export interface ReceivedRequest {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Chooses the reply to a request. The service never replies if this returns `undefined`. */
export type ChooseReply = (request: ReceivedRequest) => ScriptedReply | undefined

interface ScriptedService extends TestServer {
  /** The requests received so far. */
  readonly requests: ReadonlyArray<ReceivedRequest>
}

const startScriptedService = async (chooseReply: ChooseReply): Promise<ScriptedService> => {
  const requests: ReceivedRequest[] = []
  const server = await startHttpServer(async (incoming, response) => {
    const request = {
      path: incoming.url,
      headers: incoming.headers,
      body: String(await readRequestBody(incoming)),
    }
    requests.push(request)
    const reply = chooseReply(request)
    if (reply === undefined) return
    const { status = 200, headers = {}, body } = reply
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  return { ...server, requests }
}

/** Starts a service, and creates a client that calls it with the key `demo-key`. `requests` are those received so far. */
export const startServiceAndClient = async (
  chooseReply: ChooseReply,
  options: Omit<ClientOptions, 'baseUrl'> = {},
) => {
  const service = await startScriptedService(chooseReply)
  const client = createClient({ baseUrl: service.url, apiKey: 'demo-key', ...options })
  return { service, client, requests: service.requests }
}

/** Creates the body of a successful response with these answers. The other members have arbitrary values. */
export const createResponseBody = (answers: unknown) => ({
  model: 'svc-1.13.0',
  answers,
  usage: { input_tokens: 21, output_tokens: 4 },
  request_id: 'req_1',
})

/** Returns the error that a promise rejects with. Fails if the promise resolves. */
export const catchError = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.unreachable('the promise resolved'),
    (error: unknown) => error,
  )
