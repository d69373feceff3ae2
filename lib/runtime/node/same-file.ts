import type { FileHandle } from 'node:fs/promises'
import { lstat } from 'node:fs/promises'

/** The device of a file, and its number there. They are large on Windows, so they must not be rounded. */
interface FileIdentity {
  readonly dev: bigint
  readonly ino: bigint
}

const isSameIdentity = (one: FileIdentity, other: FileIdentity): boolean =>
  one.dev === other.dev && one.ino === other.ino

/** Resolves to `true` if two handles have the same file open. */
export const isSameFile = async (one: FileHandle, other: FileHandle): Promise<boolean> =>
  isSameIdentity(await one.stat({ bigint: true }), await other.stat({ bigint: true }))

/** Resolves to `true` if the file at `path` is the one that is open. Does not follow a link at `path`. */
export const isFileAt = async (file: FileHandle, path: string): Promise<boolean> =>
  isSameIdentity(await file.stat({ bigint: true }), await lstat(path, { bigint: true }))
