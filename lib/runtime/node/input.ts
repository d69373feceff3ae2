import { closeSync, constants, fstatSync, openSync, promises, read as readCallback } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { ReadRegular } from '../runtime'
import { createSystemError } from './error-reason'
import { isFileAt } from './same-file'

const read = promisify(readCallback)

/** Reads standard input to its end, but at most `maxBytes + 1` bytes. Rejects when `signal` fires. */
export const readStdin = async (maxBytes: number, signal: AbortSignal): Promise<Uint8Array> => {
  const bytes = await joinChunks(readStdinChunks(signal), maxBytes)
  signal.throwIfAborted()
  return bytes
}

/** Reads a file, pipe or device to its end, but at most `maxBytes + 1` bytes. */
export const readPath = (
  path: string,
  // No limit. One less than the largest safe integer, so that `maxBytes + 1` is exact.
  maxBytes = Number.MAX_SAFE_INTEGER - 1,
): Promise<Uint8Array> => {
  const neverAborted = new AbortController().signal
  return joinChunks(readPathChunks(path, neverAborted), maxBytes)
}

/** Reads standard input in chunks as they arrive. Ends early, without an error, when `signal` fires. */
export const readStdinChunks = (signal: AbortSignal): AsyncIterable<Uint8Array> =>
  inspectDescriptor(0).isStream ? readStream(process.stdin, signal) : readBlocks(0, signal)

/** Reads a file, pipe or device in chunks. Ends early, without an error, when `signal` fires. */
export async function* readPathChunks(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  // Without `O_NONBLOCK`, opening a named pipe would wait for a writer.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  let isOwnedByStream = false
  try {
    const { isStream, isTerminal } = inspectDescriptor(fd)
    if (!isStream) return yield* readBlocks(fd, signal)
    const stream = await openStream(fd, isTerminal)
    isOwnedByStream = true
    yield* readStream(stream, signal)
  } finally {
    // A stream closes its descriptor itself.
    if (!isOwnedByStream) closeSync(fd)
  }
}

/** Reads a regular file. Refuses a folder, a pipe, a device, and a path from which a link leads out of the folder `within`. */
export const readRegular: ReadRegular = async (path, { maxBytes, signal, within }) => {
  // Without `O_NONBLOCK`, opening a named pipe would wait for a writer.
  const file = await promises.open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    if (stats.isDirectory()) throw createSystemError('EISDIR')
    if (!stats.isFile()) throw createSystemError('ENOTREGULAR')
    if (within !== undefined && (await isLinkedOutside(path, within, file)))
      throw createSystemError('ELEAVESFOLDER')
    // The size is only a hint for the size of the blocks: the file may grow.
    const bytes = await joinChunks(readBlocks(file.fd, signal, stats.size), maxBytes)
    signal.throwIfAborted()
    return { bytes, size: stats.size }
  } finally {
    await file.close()
  }
}

/**
 * Resolves to `true` if `path` begins with the path of the folder, but a link in it leads out of the folder, or led out of it when `file`
 * was opened at that path. Resolves to `false` for a path elsewhere, which the caller must refuse if it may not be read.
 */
const isLinkedOutside = async (
  path: string,
  folder: string,
  file: promises.FileHandle,
): Promise<boolean> => {
  if (!isBelow(resolve(folder), resolve(path))) return false
  const realPath = await promises.realpath(path)
  if (!isBelow(await promises.realpath(folder), realPath)) return true
  // Another program may have changed a link since the file was opened.
  return !(await isFileAt(file, realPath))
}

/** Returns `true` if `path` is the folder or inside it. Both must be absolute. Compares the texts of the paths only. */
const isBelow = (folder: string, path: string): boolean => {
  const relativePath = relative(folder, path)
  if (relativePath === '..' || relativePath.startsWith(`..${sep}`)) return false
  // On Windows, the relative path to another drive is absolute.
  return !isAbsolute(relativePath)
}

/** Joins chunks to at most `maxBytes + 1` bytes: the extra byte shows that there are more. Then reads no more chunks. */
const joinChunks = async (
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> => {
  const received: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    received.push(chunk)
    length += chunk.length
    if (length > maxBytes) break
  }
  return Buffer.concat(received).subarray(0, maxBytes + 1)
}

/** The kind of file behind a descriptor. */
interface DescriptorKind {
  /** `true` for a pipe, a socket or a terminal. A read may have to wait for a writer. */
  readonly isStream: boolean
  readonly isTerminal: boolean
}

/** Determines the kind of file behind a descriptor. Throws `EISDIR` if it is a folder. */
const inspectDescriptor = (fd: number): DescriptorKind => {
  const stats = fstatSync(fd)
  if (stats.isDirectory()) throw createSystemError('EISDIR')
  const isTerminal = stats.isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(fd)
  return { isStream: isTerminal || stats.isFIFO() || stats.isSocket(), isTerminal }
}

const openStream = async (fd: number, isTerminal: boolean): Promise<Readable> => {
  if (isTerminal) return new (await import('node:tty')).ReadStream(fd)
  return new (await import('node:net')).Socket({ fd, readable: true, writable: false })
}

const maxBlockBytes = 256 << 10

/**
 * Reads a file or device in blocks. Each block has its own memory, because callers keep slices of it. Pass the `size` of a file if you
 * know it: the blocks of a small file then take little more memory than the file. Ends early, without an error, when `signal` fires.
 */
async function* readBlocks(fd: number, signal: AbortSignal, size = maxBlockBytes) {
  // A file may grow while it is read, so a block has room for 4 KiB more.
  const blockBytes = Math.min(maxBlockBytes, size + (4 << 10))
  while (!signal.aborted) {
    const buffer = Buffer.allocUnsafeSlow(blockBytes)
    const { bytesRead } = await read(fd, buffer, 0, blockBytes, null)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** Reads a pipe, socket or terminal. The wait for data blocks no thread, so `signal` can end it, without an error. */
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
