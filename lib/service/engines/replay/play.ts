import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Clock } from '../../../runtime/runtime'
import type { Play } from '../engine'
import type { Fault, Recorded } from './recordings'

/** How long a reset waits for the bytes before it to arrive, in milliseconds: it throws away what is on its way. */
const beforeReset = 20

/**
 * Writes a recorded response as it was: status, headers and body, or the bytes on the wire, and then what the
 * recorded service did to the connection. D74
 */
export const play =
  ({ status, body, raw, fault }: Recorded, clock: Clock): Play =>
  (outgoing, headers) => {
    const { socket } = outgoing
    const hasHead = raw === undefined && status !== 0
    if (hasHead) {
      outgoing.statusCode = status
      for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value)
    }
    if (raw === undefined && fault === undefined) {
      outgoing.end(body)
      return
    }
    // What a fault cuts short has no length: it is sent in chunks.
    if (hasHead) outgoing.flushHeaders()
    if (hasHead && body.length > 0) outgoing.write(body)
    if (raw !== undefined) socket?.write(raw)
    if (socket) spoil(socket, fault ?? 'end', body, clock)
  }

const spoil = (socket: Socket, fault: Fault, chunk: Uint8Array, clock: Clock): void => {
  switch (fault) {
    case 'end':
      socket.destroySoon()
      break
    case 'reset':
      clock.timer(beforeReset, () => socket.resetAndDestroy())
      break
    case 'endless':
      repeat(socket, chunk)
      break
    case 'stall':
      break
  }
}

/** Sends the same bytes for as long as the other side takes them. */
const repeat = (socket: Socket, chunk: Uint8Array): void => {
  const forever = function* () {
    while (chunk.length > 0) yield chunk
  }
  Readable.from(forever()).pipe(socket)
}
