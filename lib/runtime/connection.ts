import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { transportError } from './transport-error'

/** What node-fetch does not pass on about one exchange. */
export interface Connection {
  readonly agent: Agent
  /** Destroys `body` with the error that cuts the response short: node-fetch would let it wait. */
  readonly cutWithResponse: (body: Readable) => void
  /** Whether the body ended with the connection, because nothing told its length. */
  readonly endsBody: () => boolean
}

/** What every http agent has and Node's types leave out: the way each request comes in. */
export interface AddRequest {
  addRequest: (request: ClientRequest, ...rest: ReadonlyArray<unknown>) => unknown
}

/** Watches the one request that goes through `agent`. */
export const watch = (agent: Agent): Connection => {
  let endsBody = false
  let response: IncomingMessage | undefined
  const observe = (request: ClientRequest): void => {
    request.once('response', (message) => {
      response = message
      const { headers } = message
      endsBody =
        headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
      // Stops node-fetch's own search for cut bodies, which also finds those that end in
      // trailers. Node itself reports the cut ones.
      delete headers['transfer-encoding']
    })
    // Without a listener Node closes the connection and says nothing.
    request.once('upgrade', (_, socket) => {
      socket.destroy()
      const message = 'the server switched to another protocol'
      request.emit('error', transportError('protocolSwitch', message))
    })
  }
  const shared = agent as Agent & AddRequest
  // The agent may serve other exchanges too: only this one's requests are watched.
  const own: Agent & AddRequest = Object.create(agent)
  own.addRequest = (request, ...rest) => {
    observe(request)
    return shared.addRequest(request, ...rest)
  }
  const cutWithResponse = (body: Readable): void => {
    response?.once('error', (error) => body.destroy(error))
    if (response?.errored) body.destroy(response.errored)
  }
  return { agent: own, cutWithResponse, endsBody: () => endsBody }
}
