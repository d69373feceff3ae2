import type { ServerResponse } from 'node:http'
import { readRequestBody, startHttpServer } from '../support/servers'
import { until } from '../support/until'

/** A service that responds only when the test says so. */
export interface ControlledService {
  readonly url: string
  /** Returns the bodies of the requests received, in order. */
  readonly requestBodies: () => ReadonlyArray<string>
  /** Resolves when the service has received this many requests. */
  readonly waitForRequests: (count: number) => Promise<void>
  /** Resolves when callers have aborted this many requests. */
  readonly waitForAbortedRequests: (count: number) => Promise<void>
  /** Responds to one request. The first has index 0. */
  readonly respondTo: (index: number) => void
  /** Responds to every request from now on. */
  readonly respondToAll: () => void
  /** Forgets the requests received, and stops responding to all. */
  readonly reset: () => void
  /** Returns the number of connections opened so far. */
  readonly countConnections: () => number
  readonly close: () => Promise<void>
}

/** The body of every response. It answers a yes/no question (type `noul`) with the id `q`. */
const responseBody =
  '{"model":"m","answers":{"q":{"type":"noul","noul":0.5}},"usage":{"input_tokens":3,"output_tokens":1}}'

export const startControlledService = async (): Promise<ControlledService> => {
  const bodies: string[] = []
  const responses: ServerResponse[] = []
  let abortedRequestCount = 0
  let respondsToAll = false
  const { url, countConnections, close } = await startHttpServer(async (request, response) => {
    response.on('close', () => {
      if (!response.writableEnded) abortedRequestCount += 1
    })
    bodies.push((await readRequestBody(request)).toString())
    responses.push(response)
    if (respondsToAll) response.end(responseBody)
  })
  return {
    url,
    requestBodies: () => bodies,
    waitForRequests: (count) => until(() => responses.length >= count),
    waitForAbortedRequests: (count) => until(() => abortedRequestCount >= count),
    respondTo: (index) => responses[index]?.end(responseBody),
    respondToAll: () => {
      respondsToAll = true
    },
    reset: () => {
      bodies.length = 0
      responses.length = 0
      abortedRequestCount = 0
      respondsToAll = false
    },
    countConnections,
    close,
  }
}
