import { closeSync, constants, openSync, read as readCallback } from 'node:fs'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { inspectDescriptor, openStream } from './input'

const read = promisify(readCallback)

/** Reads standard input in chunks as they arrive. Ends early, without an error, when `signal` fires. */
export const readStdinChunks = (signal: AbortSignal): AsyncIterable<Uint8Array> =>
  inspectDescriptor(0).stream ? readStream(process.stdin, signal) : readInBlocks(0, signal)

/** Reads a file in chunks. Ends early, without an error, when `signal` fires. */
export async function* readPathChunks(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  // Without `O_NONBLOCK`, opening a named pipe would wait for a writer.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  let streaming = false
  try {
    const behind = inspectDescriptor(fd)
    if (!behind.stream) return yield* readInBlocks(fd, signal)
    const stream = await openStream(fd, behind.terminal)
    // From here on the stream is responsible for closing the descriptor.
    streaming = true
    yield* readStream(stream, signal)
  } finally {
    if (!streaming) closeSync(fd)
  }
}

const blockSize = 256 << 10

/**
 * Reads a file or device. Each chunk has its own memory, because the lines that are cut from it later share
 * that memory.
 */
async function* readInBlocks(fd: number, signal: AbortSignal) {
  while (!signal.aborted) {
    const buffer = Buffer.allocUnsafeSlow(blockSize)
    const { bytesRead } = await read(fd, buffer, 0, blockSize, null)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** Reads a pipe, socket or terminal. */
async function* readStream(stream: Readable, signal: AbortSignal) {
  const stop = (): void => {
    stream.destroy()
  }
  signal.addEventListener('abort', stop)
  try {
    if (!signal.aborted) yield* stream
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    signal.removeEventListener('abort', stop)
    stream.destroy()
  }
}
