import * as E from 'fp-ts/Either'
import { reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'

/** The maximum size of configuration and spec files. */
export const maxFileBytes = 64 << 20

/** The access of a review to files. */
export interface FileAccess {
  readonly files: Files
  /** The folder of the configuration, to which paths are relative. */
  readonly folder: string
  /** `true` if links may point outside that folder. */
  readonly followLinks: boolean
}

/** The beginning of a file. */
interface FileBeginning {
  readonly text: string
  /** The size in bytes: of `text` in UTF-8 if the whole file was read, else of the whole file. */
  readonly size: number
}

interface ReadTextOptions {
  readonly path: string
  /** The file in messages, such as `spec docs/spec.md`. */
  readonly description: string
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/**
 * Reads a regular file as text, but at most `maxBytes + 1` bytes. Invalid UTF-8 becomes U+FFFD, and a byte order mark is dropped.
 * Fails with a message for the report, `read <description>: <reason>`.
 */
export const readText = async (
  { files, folder, followLinks }: FileAccess,
  { path, description, maxBytes, signal }: ReadTextOptions,
): Promise<E.Either<string, FileBeginning>> => {
  const within = followLinks ? undefined : folder
  try {
    const { bytes, size } = await files.readRegular(path, { maxBytes, signal, within })
    const text = new TextDecoder().decode(bytes)
    // If there is an additional byte, the file may have even more, so its size replaces that of the text.
    return E.right({ text, size: bytes.length > maxBytes ? size : Buffer.byteLength(text) })
  } catch (error) {
    return E.left(`read ${description}: ${signal.aborted ? 'interrupted' : reasonOf(error)}`)
  }
}
