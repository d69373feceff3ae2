import type { IncomingMessage } from 'node:http'
import { servedDialects } from '../../client/dialects/serve'
import type { Clock } from '../../runtime/runtime'
import { modelsPath } from '../contract/operation-path'
import { noRoom } from '../contract/problem'
import type { HeldBytes } from '../limits/held-bytes'
import { type Call, problemReply, type Reply } from './call'

/** The limits for sending responses. */
export interface SendLimits {
  readonly clock: Clock
  /** How long the caller may take to read a response, in milliseconds. D70 */
  readonly idleMs: number
  /** Counts the bytes of responses until the caller has read them. */
  readonly held: HeldBytes
}

/** Responses of at most this many bytes are sent even when memory is full: refusals, `/healthz` and `/readyz`. */
const alwaysSent = 1 << 10

/** Returns the response, or a 529 where there is no memory to hold it until the caller has read it. D70, D80 */
export const refuseWithoutRoom = (reply: Reply, call: Call, { held }: SendLimits): Reply =>
  reply.body.length <= alwaysSent || held.hasRoom(reply.body.length)
    ? reply
    : problemReply(noRoom, call)

/** The headers with the request id that clients of a route look for. The model list has clients of every dialect. D42, P12 */
const idHeadersOf = ({ route, dialect }: Call): ReadonlyArray<string> =>
  route === modelsPath
    ? servedDialects.map(({ requestIdHeader }) => requestIdHeader)
    : [dialect.requestIdHeader]

/**
 * Sends a response with its request id: the engine's where it passed one on, else this request's. A caller who
 * does not read it in time is disconnected. The connection is closed afterwards when `closing` is true, and
 * when the request was refused before all of it had arrived. D37, D70, D71
 */
export const send = (call: Call, reply: Reply, closing: boolean, limits: SendLimits): void => {
  const { id, incoming, outgoing } = call
  if (outgoing.destroyed) return
  if (reply.play !== undefined) {
    if (closing) outgoing.setHeader('Connection', 'close')
    reply.play(outgoing, reply.headers)
    return
  }
  const { clock, idleMs, held } = limits
  const size = Buffer.byteLength(reply.body)
  held.add(size)
  const stopTimer = clock.timer(idleMs, () => outgoing.destroy())
  outgoing.once('close', () => {
    stopTimer()
    held.release(size)
  })
  const early = !incoming.complete
  const requestId = reply.headers['x-service-request-id'] ?? id
  outgoing.writeHead(reply.status, {
    ...reply.headers,
    'x-service-request-id': requestId,
    ...Object.fromEntries(idHeadersOf(call).map((name) => [name, requestId])),
    ...(closing || early ? { Connection: 'close' } : {}),
    'Content-Length': size,
  })
  const body = incoming.method === 'HEAD' ? '' : reply.body
  if (!early) outgoing.end(body)
  else {
    outgoing.write(body)
    discardRest(incoming, clock, () => outgoing.end())
  }
}

/**
 * The most that is read and thrown away of a request that was refused before all of it had arrived: `ms`
 * milliseconds and `bytes` bytes. D71
 */
export const discardLimits = { ms: 1000, bytes: 32 << 20 }

/** A piece of a request counts as at least this many bytes, because each piece costs work however small it is. */
const leastCharge = 1 << 10

/**
 * Reads the rest of a request and throws it away, then calls `done`. If the connection were closed while the
 * caller is still sending, the operating system would reset it and the caller would lose the response. RFC
 * 9112, 9.6. D71
 */
const discardRest = (incoming: IncomingMessage, clock: Clock, done: () => void): void => {
  let left = discardLimits.bytes
  const onData = (chunk: Buffer): void => {
    left -= Math.max(chunk.length, leastCharge)
    if (left < 0) finish()
  }
  const finish = (): void => {
    stopTimer()
    incoming.off('data', onData).off('end', finish).off('close', finish)
    done()
  }
  const stopTimer = clock.timer(discardLimits.ms, finish)
  incoming
    .on('error', () => undefined)
    .on('data', onData)
    .on('end', finish)
    .on('close', finish)
  incoming.resume()
}
