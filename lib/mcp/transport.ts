import type { Transport } from '@modelcontextprotocol/server'
import * as E from 'fp-ts/Either'
import { largestDocument } from '../json/parse'
import { isBlank, splitLines } from '../run/lines'
import type { Runtime } from '../runtime/runtime'
import type { Logger } from '../telemetry/log'
import { readMessage, refusal, tooLarge, writeMessage } from './message'

/** A transport of the SDK over standard input and output. */
interface Wire {
  readonly transport: Transport
  /**
   * Receives messages until the client closes its end or svc is interrupted. Rejects where stdin cannot be read.
   */
  readonly listen: () => Promise<void>
}

/**
 * Creates the transport, which exchanges messages as lines. The SDK's own transport uses `JSON.parse`, which
 * changes numbers, and ends the session over a message that is too long. This one answers such a message with
 * an error, and the session continues. R26
 */
export const lineWire = (
  { stdin, stdout, signal }: Pick<Runtime, 'stdin' | 'stdout' | 'signal'>,
  log: Logger,
): Wire => {
  const transport: Transport = {
    start: async () => undefined,
    send: (message) => stdout.write(writeMessage(message)),
    close: async () => transport.onclose?.(),
  }
  return {
    transport,
    listen: async () => {
      for await (const lines of splitLines(stdin.chunks(signal), largestDocument))
        for (const { number, bytes, tooLong, end = bytes } of lines) {
          if (!tooLong && isBlank(bytes)) continue
          const read = tooLong ? E.left(tooLarge(bytes, end)) : readMessage(bytes)
          if (E.isRight(read)) {
            transport.onmessage?.(read.right)
            continue
          }
          log.warning('message refused', { line: number, error: read.left.message })
          await transport.send(refusal(read.left))
        }
    },
  }
}
