import type { Transport } from '@modelcontextprotocol/server'
import * as E from 'fp-ts/Either'
import { largestDocument } from '../json/largest-document'
import { isBlank, lineSplitter, split } from '../run/lines'
import type { Logger } from '../runtime/log'
import type { Runtime } from '../runtime/runtime'
import { readMessage, refusal, tooLarge, writeMessage } from './message'

/** Standard input and output as the SDK's transport. */
export interface Wire {
  readonly transport: Transport
  /** Receives until the client closes its end, or `signal` fires. Rejects where stdin cannot be read. */
  readonly listen: (signal: AbortSignal) => Promise<void>
}

/**
 * Messages as lines over standard input and output. The SDK's own transport reads them with `JSON.parse`,
 * which changes numbers, and ends the session over a message that is too long; here such a message is answered
 * with an error, and the session goes on. R26
 */
export const lineWire = (
  { stdin, stdout }: Pick<Runtime, 'stdin' | 'stdout'>,
  log: Logger,
): Wire => {
  const transport: Transport = {
    start: async () => undefined,
    send: (message) => stdout.write(writeMessage(message)),
    close: async () => transport.onclose?.(),
  }
  return {
    transport,
    listen: async (signal) => {
      const lines = split(stdin.chunks(signal), lineSplitter(largestDocument))
      for await (const some of lines)
        for (const { number, bytes, tooLong, end = bytes } of some) {
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
