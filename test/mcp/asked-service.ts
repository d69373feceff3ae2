import type { ServerResponse } from 'node:http'
import { bodyOf, httpServer } from '../support/servers'
import { until } from '../support/until'

/** A service that answers when the test says so. */
export interface Asked {
  readonly url: string
  /** The bodies of the requests so far. */
  readonly requests: () => ReadonlyArray<string>
  /** Resolves when this many requests have come. */
  readonly come: (count: number) => Promise<void>
  /** Resolves when callers gave up this many requests. */
  readonly gone: (count: number) => Promise<void>
  readonly answer: (request: number) => void
  /** Answers each request as it comes, from now on. */
  readonly answerAll: () => void
  /** Resets the service: it forgets its requests and answers none by itself. */
  readonly forget: () => void
  /** Connections so far. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

const answerText =
  '{"model":"m","answers":{"q":{"type":"noul","noul":0.5}},"usage":{"input_tokens":3,"output_tokens":1}}'

/** Starts a service that gives the same answer to every request. */
export const askedService = async (): Promise<Asked> => {
  const bodies: string[] = []
  const responses: ServerResponse[] = []
  let given = 0
  let atOnce = false
  const { url, connections, close } = await httpServer(async (request, response) => {
    response.on('close', () => {
      if (!response.writableEnded) given += 1
    })
    bodies.push((await bodyOf(request)).toString())
    responses.push(response)
    if (atOnce) response.end(answerText)
  })
  return {
    url,
    connections,
    close,
    requests: () => bodies,
    come: (count) => until(() => responses.length >= count),
    gone: (count) => until(() => given >= count),
    answer: (request) => responses[request]?.end(answerText),
    answerAll: () => {
      atOnce = true
    },
    forget: () => {
      bodies.length = 0
      responses.length = 0
      given = 0
      atOnce = false
    },
  }
}
