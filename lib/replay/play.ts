import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Clock } from '../runtime/runtime'
import type { RecordedFault, RecordedResponse } from './scenario'

/**
 * How long to wait before resetting a connection on which bytes were written, in milliseconds. A reset discards bytes that
 * the other side has not read yet, which takes it a while on a busy machine, and nothing tells when it has read them.
 */
const beforeReset = 500

/**
 * Writes a recorded response exactly: its status, `headers` and body, or its raw bytes, followed by what the
 * recorded service did to the connection.
 */
export const playResponse = (
  { status, body, raw, fault }: RecordedResponse,
  outgoing: ServerResponse,
  headers: Readonly<Record<string, string>>,
  clock: Pick<Clock, 'timer'>,
): void => {
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
  // A response that a fault will cut short gets no Content-Length: it is sent in chunks.
  if (hasHead) outgoing.flushHeaders()
  if (hasHead && body.length > 0) outgoing.write(body)
  if (raw !== undefined) socket?.write(raw)
  const hasWritten = hasHead || raw !== undefined
  if (socket) spoilConnection(socket, fault ?? 'end', { body, hasWritten }, clock)
}

const spoilConnection = (
  socket: Socket,
  fault: RecordedFault,
  { body, hasWritten }: { readonly body: Uint8Array; readonly hasWritten: boolean },
  clock: Pick<Clock, 'timer'>,
): void => {
  switch (fault) {
    case 'end':
      socket.destroySoon()
      break
    case 'reset':
      clock.timer(hasWritten ? beforeReset : 0, () => socket.resetAndDestroy())
      break
    case 'endless':
      repeatForever(socket, body)
      break
    case 'stall':
      break
  }
}

/** Sends the same bytes over and over until the other side stops reading. */
const repeatForever = (socket: Socket, chunk: Uint8Array): void => {
  const chunks = function* () {
    while (chunk.length > 0) yield chunk
  }
  Readable.from(chunks()).pipe(socket)
}
