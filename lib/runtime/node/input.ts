import { closeSync, constants, fstatSync, openSync, read as readCallback } from 'node:fs'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { systemError } from './error-reason'

const read = promisify(readCallback)

/** Reads standard input to its end, but at most `limit + 1` bytes. */
export const readStdin = async (limit: number, signal: AbortSignal): Promise<Uint8Array> => {
  const behind = inspectDescriptor(0)
  return behind.stream
    ? readToEnd(process.stdin, limit, signal)
    : readBlocks(0, limit, behind.size, signal)
}

/** Reads a file to its end, but at most `limit + 1` bytes. */
export const readPath = async (
  path: string,
  limit = Number.MAX_SAFE_INTEGER - 1,
): Promise<Uint8Array> => {
  // Without `O_NONBLOCK`, opening a named pipe would wait for a writer.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  let streaming = false
  try {
    const behind = inspectDescriptor(fd)
    if (!behind.stream) return await readBlocks(fd, limit, behind.size)
    const stream = await openStream(fd, behind.terminal)
    // From here on the stream is responsible for closing the descriptor.
    streaming = true
    return await readToEnd(stream, limit)
  } finally {
    if (!streaming) closeSync(fd)
  }
}

interface Behind {
  /** Whether it is a pipe, a socket or a terminal, where reading may have to wait for somebody to write. */
  readonly stream: boolean
  readonly terminal: boolean
  /** The size in bytes; 0 for what is not a regular file. */
  readonly size: number
}

/** Finds out what a file descriptor refers to. Throws `EISDIR` for a folder. */
export const inspectDescriptor = (fd: number): Behind => {
  const stats = fstatSync(fd)
  if (stats.isDirectory()) throw systemError('EISDIR')
  const terminal = stats.isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(fd)
  const stream = terminal || stats.isFIFO() || stats.isSocket()
  return { stream, terminal, size: stats.isFile() ? stats.size : 0 }
}

/** Opens a stream on the descriptor of a pipe, a socket or a terminal. The stream closes the descriptor. */
export const openStream = async (fd: number, terminal: boolean): Promise<Readable> => {
  if (terminal) return new (await import('node:tty')).ReadStream(fd)
  return new (await import('node:net')).Socket({ fd, readable: true, writable: false })
}

const blockSize = 1 << 20

/** Reads a file or device, at most `limit + 1` bytes. `size` is that of the file, 0 where it is not known. */
export const readBlocks = async (
  fd: number,
  limit: number,
  size: number,
  signal?: AbortSignal,
): Promise<Uint8Array> => {
  const most = limit + 1
  let buffer = Buffer.allocUnsafe(Math.min(most, size > 0 ? size + 1 : blockSize))
  let length = 0
  while (length < most) {
    signal?.throwIfAborted()
    if (length === buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(most, length * 2))
      buffer.copy(larger, 0, 0, length)
      buffer = larger
    }
    const wanted = Math.min(blockSize, buffer.length - length)
    const { bytesRead } = await read(fd, buffer, length, wanted, null)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

/** Reads a pipe, socket or terminal. No thread waits for the data, so an interrupt ends the wait. */
const readToEnd = (
  stream: NodeJS.ReadableStream,
  limit: number,
  signal?: AbortSignal,
): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const finish = (act: () => void): void => {
      stream.removeListener('data', onData)
      signal?.removeEventListener('abort', onAbort)
      if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy()
      act()
    }
    const done = (): void => finish(() => resolve(Buffer.concat(chunks).subarray(0, limit + 1)))
    const onAbort = (): void => finish(() => reject(signal?.reason))
    const onData = (chunk: Uint8Array): void => {
      chunks.push(chunk)
      length += chunk.length
      if (length > limit) done()
    }
    stream.on('error', (error) => finish(() => reject(error)))
    stream.on('end', done)
    stream.on('close', done)
    if (signal?.aborted) onAbort()
    else {
      signal?.addEventListener('abort', onAbort)
      stream.on('data', onData)
    }
  })
