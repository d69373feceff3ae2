import { systemError } from '../../lib/runtime/node/error-reason'
import type { Files } from '../../lib/runtime/runtime'

/** What files hold, by path. */
export type Contents = Readonly<Record<string, string | Uint8Array>>

/** Files in memory. */
export interface MemoryFiles {
  readonly files: Files
  /** The paths that were read, in order. */
  readonly reads: ReadonlyArray<string>
  /** What they hold now. */
  readonly contents: () => Readonly<Record<string, string>>
}

/** Files in memory, with the failures that a file system has; nothing in it is a run's output. */
export const createMemoryFiles = (initial: Contents = {}): MemoryFiles => {
  const held = new Map<string, Uint8Array>(
    Object.entries(initial).map(([path, data]) => [path, Buffer.from(data)]),
  )
  const reads: string[] = []
  const below = (folder: string): ReadonlyArray<string> =>
    [...held.keys()].filter((path) => path.startsWith(folder.replace(/\/*$/, '/')))
  const refuseFolder = (path: string): void => {
    if (path === '' || path.includes('\0')) throw systemError('ENOENT')
    if (path.endsWith('/') || below(path).length > 0) throw systemError('EISDIR')
  }
  const put = async (path: string, data: string | Uint8Array): Promise<void> => {
    refuseFolder(path)
    held.set(path, Buffer.from(data))
  }
  const read = async (path: string, limit = Number.MAX_SAFE_INTEGER): Promise<Uint8Array> => {
    reads.push(path)
    refuseFolder(path)
    const bytes = held.get(path)
    if (bytes === undefined) throw systemError('ENOENT')
    return bytes.subarray(0, limit + 1)
  }
  const files: Files = {
    read,
    async *chunks(path) {
      yield await read(path)
    },
    readPart: async (path, start, length) => (await read(path)).subarray(start, start + length),
    list: async (folder) =>
      below(folder)
        .map((path) => path.slice(folder.length + 1))
        .sort(),
    makeFolder: async () => undefined,
    create: async (path, data) => {
      if (held.has(path)) throw systemError('EEXIST')
      await put(path, data)
    },
    replace: put,
    append: (path, data) =>
      put(path, Buffer.concat([held.get(path) ?? Buffer.of(), Buffer.from(data)])),
    checkWritable: async (path) => refuseFolder(path),
    size: async (path) => held.get(path)?.length,
    openOutput: () => Promise.reject(systemError('EROFS')),
    openReplacement: () => Promise.reject(systemError('EROFS')),
    readRegular: async (path, { limit }) => ({
      bytes: await read(path, limit),
      size: held.get(path)?.length ?? 0,
    }),
    isReadableByOthers: async () => false,
    isWritableByOthers: async () => false,
    realPath: async (path) => path,
    saveTemporary: async (name, data) => {
      await put(`/kept/${name}`, data)
      return `/kept/${name}`
    },
  }
  const contents = () =>
    Object.fromEntries([...held].map(([path, data]) => [path, Buffer.from(data).toString()]))
  return { files, reads, contents }
}
