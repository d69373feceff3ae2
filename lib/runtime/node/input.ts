import { closeSync, constants, fstatSync, openSync, read as readCallback } from 'node:fs'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { systemError } from './error-reason'

const read = promisify(readCallback)

/** Reads standard input to its end, but at most `limit + 1` bytes. Rejects when `signal` fires. */
export const readStdin = async (limit: number, signal: AbortSignal): Promise<Uint8Array> => {
  const bytes = await joinChunks(readStdinChunks(signal), limit)
  signal.throwIfAborted()
  return bytes
}

/** Reads a file to its end, but at most `limit + 1` bytes. */
export const readPath = (path: string, limit = Number.MAX_SAFE_INTEGER - 1): Promise<Uint8Array> =>
  joinChunks(readPathChunks(path, new AbortController().signal), limit)

/** Joins chunks to their end, but at most `limit + 1` bytes of them. */
export const joinChunks = async (
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Uint8Array> => {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    length += chunk.length
    if (length > limit) break
  }
  return Buffer.concat(parts).subarray(0, limit + 1)
}

/** Reads standard input in chunks as they arrive. Ends early, without an error, when `signal` fires. */
export const readStdinChunks = (signal: AbortSignal): AsyncIterable<Uint8Array> =>
  inspectDescriptor(0).stream ? readStream(process.stdin, signal) : readBlocks(0, signal)

/** Reads a file in chunks. Ends early, without an error, when `signal` fires. */
export async function* readPathChunks(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  // Without `O_NONBLOCK`, opening a named pipe would wait for a writer.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  let streaming = false
  try {
    const { stream, terminal } = inspectDescriptor(fd)
    if (!stream) return yield* readBlocks(fd, signal)
    const opened = await openStream(fd, terminal)
    // From here on the stream is responsible for closing the descriptor.
    streaming = true
    yield* readStream(opened, signal)
  } finally {
    if (!streaming) closeSync(fd)
  }
}

interface Behind {
  /** Whether it is a pipe, a socket or a terminal, where reading may have to wait for somebody to write. */
  readonly stream: boolean
  readonly terminal: boolean
}

/** Finds out what a file descriptor refers to. Throws `EISDIR` for a folder. */
const inspectDescriptor = (fd: number): Behind => {
  const stats = fstatSync(fd)
  if (stats.isDirectory()) throw systemError('EISDIR')
  const terminal = stats.isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(fd)
  return { stream: terminal || stats.isFIFO() || stats.isSocket(), terminal }
}

/** Opens a stream on the descriptor of a pipe, a socket or a terminal. The stream closes the descriptor. */
const openStream = async (fd: number, terminal: boolean): Promise<Readable> => {
  if (terminal) return new (await import('node:tty')).ReadStream(fd)
  return new (await import('node:net')).Socket({ fd, readable: true, writable: false })
}

const blockSize = 256 << 10

/**
 * Reads a file or device. Each block has its own memory, because the lines that are cut from it later share
 * that memory. The blocks of a small file whose `size` is known are little larger than it.
 */
export async function* readBlocks(fd: number, signal: AbortSignal, size = blockSize) {
  const most = Math.min(blockSize, size + (4 << 10))
  while (!signal.aborted) {
    const buffer = Buffer.allocUnsafeSlow(most)
    const { bytesRead } = await read(fd, buffer, 0, most, null)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** Reads a pipe, socket or terminal. No thread waits for the data, so an interrupt ends the wait. */
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
