import { createSystemError } from '../../lib/runtime/node/error-reason'
import type { Files } from '../../lib/runtime/runtime'

/** The contents of files, by path. */
export type FileContents = Readonly<Record<string, string | Uint8Array>>

export interface MemoryFiles {
  readonly files: Files
  /** The paths that were read, in order. */
  readonly reads: ReadonlyArray<string>
  /** Returns the contents of all files, as text by path. */
  readonly contents: () => Readonly<Record<string, string>>
}

/**
 * Creates files in memory. Operations on them fail with the errors of a file system. `openOutput` and `openReplacement` always
 * fail: `svc batch`, which writes its output with them, needs a real file.
 */
export const createMemoryFiles = (initial: FileContents = {}): MemoryFiles => {
  const bytesByPath = new Map<string, Uint8Array>(
    Object.entries(initial).map(([path, data]) => [path, Buffer.from(data)]),
  )
  const reads: string[] = []
  const listBelow = (folder: string): ReadonlyArray<string> =>
    [...bytesByPath.keys()].filter((path) => path.startsWith(`${folder}/`))
  /** Throws if the path is invalid, or if it is the path of a folder. */
  const checkFilePath = (path: string): void => {
    if (path === '' || path.includes('\0')) throw createSystemError('ENOENT')
    if (path.endsWith('/') || listBelow(path).length > 0) throw createSystemError('EISDIR')
  }
  const write = async (path: string, data: string | Uint8Array): Promise<void> => {
    checkFilePath(path)
    bytesByPath.set(path, Buffer.from(data))
  }
  const read = async (path: string, maxBytes = Number.MAX_SAFE_INTEGER): Promise<Uint8Array> => {
    reads.push(path)
    checkFilePath(path)
    const bytes = bytesByPath.get(path)
    if (bytes === undefined) throw createSystemError('ENOENT')
    // With one byte more the caller sees that the file is too long.
    return bytes.subarray(0, maxBytes + 1)
  }
  const files: Files = {
    read,
    async *chunks(path) {
      yield await read(path)
    },
    readPart: async (path, start, length) => (await read(path)).subarray(start, start + length),
    list: async (folder) =>
      listBelow(folder)
        .map((path) => path.slice(folder.length + 1))
        .sort(),
    makeFolder: async () => undefined,
    create: async (path, data) => {
      if (bytesByPath.has(path)) throw createSystemError('EEXIST')
      await write(path, data)
    },
    replace: write,
    append: (path, data) =>
      write(path, Buffer.concat([bytesByPath.get(path) ?? Buffer.of(), Buffer.from(data)])),
    checkWritable: async (path) => checkFilePath(path),
    size: async (path) => bytesByPath.get(path)?.length,
    lock: async (path) => ({
      replace: (data) => write(path, data),
      release: async () => undefined,
    }),
    openOutput: () => Promise.reject(createSystemError('EROFS')),
    openReplacement: () => Promise.reject(createSystemError('EROFS')),
    readRegular: async (path, { maxBytes }) => ({
      bytes: await read(path, maxBytes),
      // `read` fails for a missing file, so this 0 is never used.
      size: bytesByPath.get(path)?.length ?? 0,
    }),
    isReadableByOthers: async () => false,
    isWritableByOthers: async () => false,
    realPath: async (path) => path,
    saveTemporary: async (name, data) => {
      await write(`/temporary/${name}`, data)
      return `/temporary/${name}`
    },
  }
  const contents = () =>
    Object.fromEntries([...bytesByPath].map(([path, data]) => [path, Buffer.from(data).toString()]))
  return { files, reads, contents }
}
