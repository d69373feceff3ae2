import { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import * as E from 'fp-ts/Either'
import { bufferOf, maxDocumentBytes, tooLargeMessage } from '../codec/json/parse'
import { type Failure, internal, usage } from '../failure/failure'
import { splitLines } from '../runs/record/lines'
import { reasonOf } from '../runtime/node/error-reason'
import type { Runtime } from '../runtime/runtime'
import type { Logger } from '../tracing/log'

/** A connection of the Model Context Protocol over standard input and output. */
interface StdioConnection {
  /** The transport of the SDK. */
  readonly transport: StdioServerTransport
  /** Resolves when the client closes its end or svc is interrupted. Fails if stdin cannot be read or stdout cannot be written. */
  readonly ended: Promise<E.Either<Failure, void>>
  /** Resolves when every response is written. Fails if one could not be. Call it after the transport is closed. */
  readonly flush: () => Promise<E.Either<Failure, void>>
}

type Stdio = Pick<Runtime, 'stdin' | 'stdout' | 'signal'>

const newline = Buffer.from('\n')

/** The error codes of JSON-RPC 2.0 for JSON that is not a valid request, and for text that is not JSON. */
const invalidRequest = -32600
const parseError = -32700

/**
 * Creates the transport. It answers a message over 16 MiB, and one that is not JSON, with an error without an id, and the session
 * continues. The SDK itself would end the session after the first, and say nothing of the second.
 */
export const createTransport = ({ stdin, stdout, signal }: Stdio, log: Logger): StdioConnection => {
  // Runs only once messages are read, which is after `transport` is defined.
  const refuse = (line: number, code: number, message: string): void => {
    log.warning('message refused', { line, error: message })
    const response = { jsonrpc: '2.0', error: { code, message } } as const
    // If stdout cannot be written, the session ends anyway.
    transport.send(response).catch(() => undefined)
  }
  const messages = readMessages(stdin.chunks(signal), refuse)
  const input = Readable.from(messages, { objectMode: false })
  const output = new Writable({
    write: (chunk, _, done) => {
      stdout.write(chunk).then(() => done(), done)
    },
  })
  // The SDK ends the session when its buffer is full. The buffer may hold a whole message and a part of the next.
  const transport = new StdioServerTransport(input, output, { maxBufferSize: 2 * maxDocumentBytes })
  const inputEnd = settle(finished(input), (reason) => usage(`read standard input: ${reason}`))
  const outputEnd = settle(finished(output), (reason) => internal(`write stdout: ${reason}`))
  const flush = (): typeof outputEnd => {
    output.end()
    return outputEnd
  }
  return { transport, ended: Promise.race([inputEnd, outputEnd]), flush }
}

/** Turns a rejection into a failure. `createFailure` gets the reason in words. */
const settle = (
  promise: Promise<void>,
  createFailure: (reason: string) => Failure,
): Promise<E.Either<Failure, void>> =>
  promise.then(
    () => E.right(undefined),
    (error) => E.left(createFailure(reasonOf(error))),
  )

/** Yields the messages, one for each line. Omits a line over 16 MiB and one that is not JSON, and calls `refuse` with its number. */
async function* readMessages(
  chunks: AsyncIterable<Uint8Array>,
  refuse: (line: number, code: number, message: string) => void,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const lines of splitLines(chunks, maxDocumentBytes))
    for (const { number, bytes, isTooLong } of lines) {
      if (isTooLong) {
        refuse(number, invalidRequest, `Invalid Request: the message ${tooLargeMessage}`)
      } else if (isJson(bytes)) yield Buffer.concat([bytes, newline])
      else refuse(number, parseError, 'Parse error: the message is not JSON')
    }
}

/** Returns `true` for JSON, and for an empty line, which the SDK ignores. It parses like the SDK. */
const isJson = (line: Uint8Array): boolean => {
  const text = bufferOf(line).toString().trim()
  if (text === '') return true
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
