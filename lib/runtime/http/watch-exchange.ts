import type { Agent, ClientRequest } from 'node:http'
import type { Readable } from 'node:stream'
import { transportError } from '../node/error-reason'

/** Observes one exchange of node-fetch 2, to learn what the library hides. */
export interface Connection {
  readonly agent: Agent
  /** Node's own error, once one has occurred. node-fetch replaces it by one whose message contains the address. */
  readonly failure: () => Error | undefined
  /** Makes `body` fail with the error that cuts the response short. node-fetch would leave it waiting for more data. */
  readonly cutWithResponse: (body: Readable) => void
}

/** The method with which Node hands a request to its agent. All agents have it, but Node's types leave it out. */
export interface AddRequest {
  addRequest: (request: ClientRequest, ...rest: ReadonlyArray<unknown>) => unknown
}

/** Observes the next request through `agent`. Pass the returned agent to node-fetch in its place. */
export const watchExchange = (agent: Agent): Connection => {
  let failure: Error | undefined
  let body: Readable | undefined
  const fail = (error: Error): void => {
    failure ??= error
    body?.destroy(error)
  }
  const shared = agent as Agent & AddRequest
  // `agent` may serve other exchanges too. Only requests through this copy are observed.
  const own: Agent & AddRequest = Object.create(agent)
  own.addRequest = (request, ...rest) => {
    request.once('error', fail)
    request.once('response', (response) => response.once('error', fail))
    // Without a listener Node closes the connection without an error, and the call would wait forever.
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
