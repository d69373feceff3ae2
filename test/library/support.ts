import type { IncomingHttpHeaders } from 'node:http'
import { bodyOf, httpServer, type Listening } from '../support/servers'

/** A response of the service. The body is JSON unless it is a text already. */
export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** A request that came in. */
export interface Seen {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A service with replies from the test. It keeps the requests that came. */
export interface Service extends Listening {
  readonly seen: ReadonlyArray<Seen>
}

/** Starts a service. `answer` gets each request and its number, from 0; `undefined` leaves it unanswered. */
export const startService = async (
  answer: (seen: Seen, number: number) => Reply | undefined,
): Promise<Service> => {
  const seen: Seen[] = []
  const server = await httpServer(async (request, response) => {
    const one = { path: request.url, headers: request.headers, body: String(await bodyOf(request)) }
    const reply = answer(one, seen.push(one) - 1)
    if (reply === undefined) return
    const { status = 200, headers = {}, body } = reply
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  return { ...server, seen }
}

/** The body of a good response with these answers. */
export const good = (answers: unknown) => ({
  model: 'svc-1.13.0',
  answers,
  usage: { input_tokens: 21, output_tokens: 4 },
  request_id: 'req_1',
})
