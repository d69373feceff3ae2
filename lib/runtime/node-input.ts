import {
  closeSync,
  constants,
  fstatSync,
  open as openCallback,
  read as readCallback,
} from 'node:fs'
import { promisify } from 'node:util'
import { systemError } from './reason'

const open = promisify(openCallback)
const read = promisify(readCallback)

/** Reads standard input, or what is behind another descriptor, to its end or to `limit + 1` bytes. */
export const readDescriptor = async (
  fd: number,
  limit: number,
  signal?: AbortSignal,
): Promise<Uint8Array> => {
  const stats = fstatSync(fd)
  if (stats.isDirectory()) throw systemError('EISDIR')
  if (stats.isFile()) return readBlocks(fd, limit, signal, stats.size)
  if (stats.isFIFO() || stats.isSocket()) return drain(await socket(fd), limit, signal)
  const { isatty, ReadStream } = await import('node:tty')
  if (!isatty(fd)) return readBlocks(fd, limit, signal, 0)
  return drain(fd === 0 ? process.stdin : new ReadStream(fd), limit, signal)
}

/** Reads a file by its path. */
export const readPath = async (path: string, limit: number): Promise<Uint8Array> => {
  // Opening a named pipe without a writer would otherwise hold a thread, and with it the exit.
  const fd = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const stats = fstatSync(fd)
  try {
    return await readDescriptor(fd, limit)
  } finally {
    // A stream closes its descriptor itself.
    if (stats.isFile() || stats.isDirectory()) closeSync(fd)
  }
}

const socket = async (fd: number): Promise<NodeJS.ReadableStream> => {
  if (fd === 0) return process.stdin
  const { Socket } = await import('node:net')
  return new Socket({ fd, readable: true, writable: false })
}

const blockSize = 1 << 20

/** Files and devices: never asks for more than one byte past the limit. */
const readBlocks = async (
  fd: number,
  limit: number,
  signal: AbortSignal | undefined,
  size: number,
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

/** Pipes, sockets and terminals: waits without holding a thread, so an interrupt ends the wait. */
const drain = (
  stream: NodeJS.ReadableStream,
  limit: number,
  signal: AbortSignal | undefined,
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
