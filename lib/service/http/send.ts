import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../runtime/runtime'
import type { Held } from '../limits/held'
import { noRoom } from '../problem'
import { type Call, problemReply, type Reply } from './call'

/** How replies are sent. */
export interface SendLimits {
  readonly clock: Clock
  /** Time for the caller to take a reply, in milliseconds. D70 */
  readonly idleMs: number
  /** Where replies count until they are taken. */
  readonly held: Held
}

/** Smaller replies are always sent: a service without room still says so, and how it is. */
const small = 64 << 10

/** The reply, or a refusal where there is no room to keep it until it is taken. D70 */
export const withRoom = (reply: Reply, call: Call, { held }: SendLimits): Reply =>
  reply.body.length <= small || held.hasRoom(reply.body.length) ? reply : problemReply(noRoom, call)

/**
 * Routes that clients of the `/v1/systemone` dialect call. They look for the request id under another name.
 * D42
 */
const dialectRoutes: ReadonlySet<string> = new Set(['/v1/systemone', '/v1/models'])

/**
 * Writes a reply with the request's id; one that an engine passed on takes its place. A caller that does not take it in
 * time is cut off. The connection ends with it where `closing` says so, and where the request was refused before all of
 * it had come. D37, D70, D71
 */
export const send = (call: Call, reply: Reply, closing: boolean, limits: SendLimits): void => {
  const { id, route, incoming, outgoing } = call
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
    ...(dialectRoutes.has(route) ? { 'x-typesafe-request-id': requestId } : {}),
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

/** How much is read of a request that was refused before all of it had come: for so long, in ms, and so many bytes. */
export const rest = { ms: 1000, bytes: 32 << 20 }

/**
 * Reads what is left of a request and throws it away, then calls `done`. Were the connection closed while the caller is
 * still sending, the system would reset it, and the caller would lose the answer. RFC 9112, 9.6. D71
 */
const discardRest = (incoming: IncomingMessage, clock: Clock, done: () => void): void => {
  let left = rest.bytes
  const onData = (chunk: Buffer): void => {
    left -= chunk.length
    if (left < 0) finish()
  }
  const finish = (): void => {
    stopTimer()
    incoming.off('data', onData).off('end', finish).off('close', finish)
    done()
  }
  const stopTimer = clock.timer(rest.ms, finish)
  incoming
    .on('error', () => undefined)
    .on('data', onData)
    .on('end', finish)
    .on('close', finish)
  incoming.resume()
}
