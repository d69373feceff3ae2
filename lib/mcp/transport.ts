import type { Transport } from '@modelcontextprotocol/server'
import * as E from 'fp-ts/Either'
import { largestDocument } from '../codec/json/parse'
import { isBlank, splitLines } from '../runs/record/lines'
import type { Runtime } from '../runtime/runtime'
import type { Logger } from '../tracing/log'
import { describeTooLong, readMessage, writeFault, writeMessage } from './message'

/** A transport of the SDK over standard input and output. */
interface LineTransport {
  readonly transport: Transport
  /**
   * Receives messages until the client closes its end or svc is interrupted. Rejects where stdin cannot be read.
   */
  readonly listen: () => Promise<void>
}

/**
 * The most bytes that may wait for the client to read them: more than the results of all calls that can be in
 * flight. Above, messages are dropped unanswered, since nobody would read the answers.
 */
const mostUnread = 8 << 20

/**
 * Creates the transport, which exchanges messages as lines. The SDK's own transport uses `JSON.parse`, which
 * changes numbers, and ends the session over a message that is too long. This one answers such a message with
 * an error, and the session continues. Reading never waits for writing, so that the session ends with stdin even
 * where nobody reads stdout. R26
 */
export const createTransport = (
  { stdin, stdout, signal }: Pick<Runtime, 'stdin' | 'stdout' | 'signal'>,
  log: Logger,
): LineTransport => {
  let unread = 0
  const write = async (line: Buffer): Promise<void> => {
    unread += line.length
    try {
      await stdout.write(line)
    } finally {
      unread -= line.length
    }
  }
  const transport: Transport = {
    start: async () => undefined,
    send: (message) => write(writeMessage(message)),
    close: async () => transport.onclose?.(),
  }
  return {
    transport,
    listen: async () => {
      for await (const lines of splitLines(stdin.chunks(signal), largestDocument))
        for (const { number, bytes, tooLong, end = bytes } of lines) {
          if (!tooLong && isBlank(bytes)) continue
          if (unread > mostUnread) {
            log.warning('message dropped: nobody reads the answers', { line: number })
            continue
          }
          const read = tooLong ? E.left(describeTooLong(bytes, end)) : readMessage(bytes)
          if (E.isRight(read)) {
            transport.onmessage?.(read.right)
            continue
          }
          log.warning('message refused', { line: number, error: read.left.message })
          // A stdout that cannot be written is noticed when it is written next.
          if (!read.left.isNotification) write(writeFault(read.left)).catch(() => undefined)
        }
    },
  }
}
