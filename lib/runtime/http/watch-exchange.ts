import type { Agent, ClientRequest } from 'node:http'
import type { Readable } from 'node:stream'
import { createTransportError } from '../node/error-reason'

/** One exchange of node-fetch 2, with the errors that node-fetch hides. */
export interface WatchedExchange {
  /** Pass this agent to node-fetch. */
  readonly agent: Agent
  /** Returns Node's error, if one occurred. node-fetch wraps it in an error whose message contains the URL. */
  readonly failure: () => Error | undefined
  /** Lets `body` fail if the response is cut short. node-fetch would let it wait for more data forever. */
  readonly propagateFailureTo: (body: Readable) => void
}

/** Node calls this method of an agent with each request. All agents have it, but Node's types leave it out. */
export interface WithAddRequest {
  addRequest: (request: ClientRequest, ...rest: ReadonlyArray<unknown>) => unknown
}

/** Watches the request that node-fetch makes through the agent of the result. `agent` itself stays unchanged. */
export const watchExchange = (agent: Agent): WatchedExchange => {
  let failure: Error | undefined
  let body: Readable | undefined
  const fail = (error: Error): void => {
    failure ??= error
    body?.destroy(error)
  }
  const original = agent as Agent & WithAddRequest
  // `agent` may serve other exchanges too, so this overrides its method only in an object that inherits from it.
  const watched: Agent & WithAddRequest = Object.create(agent)
  watched.addRequest = (request, ...rest) => {
    request.once('error', fail)
    request.once('response', (response) => response.once('error', fail))
    // Without this listener Node closes the connection without an error, and the call waits forever.
    request.once('upgrade', (_, socket) => {
      socket.destroy()
      const message = 'the server switched to another protocol'
      request.emit('error', createTransportError('protocolSwitch', message))
    })
    return original.addRequest(request, ...rest)
  }
  return {
    agent: watched,
    failure: () => failure,
    propagateFailureTo: (readable) => {
      body = readable
      if (failure !== undefined) body.destroy(failure)
    },
  }
}
