import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Clock } from '../runtime/runtime'
import type { RecordedFault, RecordedResponse } from './decode-scenario'

/**
 * The wait before a connection is reset, in milliseconds. TCP discards bytes that the other side has not read at a reset,
 * and does not report when they have been read.
 */
const resetDelayMs = 500

/**
 * Writes a recorded response: its status, `headers` and body, or its raw bytes. Then breaks the connection if the response has
 * raw bytes or a fault. `headers` replaces the recorded headers, to which a service may have added its own.
 */
export const playResponse = (
  { status, body, raw, fault }: RecordedResponse,
  outgoing: ServerResponse,
  headers: Readonly<Record<string, string>>,
  clock: Pick<Clock, 'timer'>,
): void => {
  const { socket } = outgoing
  // The head is the status line and the headers.
  const hasHead = raw === undefined && status !== 0
  if (hasHead) {
    outgoing.statusCode = status
    for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value)
  }
  if (raw === undefined && fault === undefined) {
    outgoing.end(body)
    return
  }
  // The headers are sent first, so that Node does not add a Content-Length to a response that a fault cuts short.
  if (hasHead) outgoing.flushHeaders()
  if (hasHead && body.length > 0) outgoing.write(body)
  if (raw !== undefined) socket?.write(raw)
  const hasWritten = hasHead || raw !== undefined
  // The socket is null if the other side has closed the connection.
  if (socket) breakConnection(socket, fault ?? 'end', { body, hasWritten }, clock)
}

const breakConnection = (
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
      clock.timer(hasWritten ? resetDelayMs : 0, () => socket.resetAndDestroy())
      break
    case 'endless':
      repeatForever(socket, body)
      break
    case 'stall':
      break
  }
}

/** Sends the same bytes repeatedly until the other side stops reading. */
const repeatForever = (socket: Socket, chunk: Uint8Array): void => {
  const chunks = function* () {
    while (chunk.length > 0) yield chunk
  }
  Readable.from(chunks()).pipe(socket)
}
