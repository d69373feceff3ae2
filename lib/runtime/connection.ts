import type { Agent, ClientRequest } from 'node:http'
import type { Readable } from 'node:stream'
import { transportError } from './transport-error'

/** What node-fetch 2 does not pass on about one exchange. */
export interface Connection {
  readonly agent: Agent
  /** Node's own error, once there is one. node-fetch hides it behind one whose message has the address in it. */
  readonly failure: () => Error | undefined
  /** Ends `body` with the error that cuts the response short: node-fetch would leave it waiting for more. */
  readonly cutWithResponse: (body: Readable) => void
}

/** The method by which Node hands a request to its agent. Every agent has it, and Node's types leave it out. */
export interface AddRequest {
  addRequest: (request: ClientRequest, ...rest: ReadonlyArray<unknown>) => unknown
}

/** Watches the one request that goes through `agent`. */
export const watch = (agent: Agent): Connection => {
  let failure: Error | undefined
  let body: Readable | undefined
  const fail = (error: Error): void => {
    failure ??= error
    body?.destroy(error)
  }
  const shared = agent as Agent & AddRequest
  // The agent may serve other exchanges too: only the request that comes by way of this copy is watched.
  const own: Agent & AddRequest = Object.create(agent)
  own.addRequest = (request, ...rest) => {
    request.once('error', fail)
    request.once('response', (response) => response.once('error', fail))
    // Where nobody listens, Node closes the connection and tells no one, and the call would wait for ever.
    request.once('upgrade', (_, socket) => {
      socket.destroy()
      const message = 'the server switched to another protocol'
      request.emit('error', transportError('protocolSwitch', message))
    })
    return shared.addRequest(request, ...rest)
  }
  return {
    agent: own,
    failure: () => failure,
    cutWithResponse: (readable) => {
      body = readable
      if (failure !== undefined) body.destroy(failure)
    },
  }
}
