import { isAbsolute, join } from 'node:path'
import * as E from 'fp-ts/Either'
import { cutBytes } from '../text/sanitize'
import { type FileAccess, readText } from './read-text'

/** The concatenated files of a unit's implementation, or of its tests. */
export interface Bundle {
  /** The text, cut to the maximum size. If it was cut, an additional last line says so. */
  readonly text: string
  readonly truncated: boolean
  /** The size before any cut, in bytes. */
  readonly size: number
}

interface BundleOptions {
  /** The kind of the files in messages: `implementation` or `test`. */
  readonly kind: string
  readonly paths: ReadonlyArray<string>
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** The maximum size of a character in UTF-8. svc reads this many bytes beyond the maximum, so it can cut at the end of a character. */
const maxCharacterBytes = 4

/** The last line of a bundle that was cut. */
const truncationMarker = '// ...(truncated)'

/** Resolves a path of the configuration. A relative path is relative to `folder`, the folder of the configuration. */
export const resolvePath = (folder: string, path: string): string =>
  isAbsolute(path) ? path : join(folder, path)

/**
 * Concatenates files, each under a header line, and cuts the result to `maxBytes`. Reads only as much of a file as is needed.
 * Fails with a message for the report if a file cannot be read.
 */
export const bundleFiles = async (
  fileAccess: FileAccess,
  { kind, paths, maxBytes, signal }: BundleOptions,
): Promise<E.Either<string, Bundle>> => {
  let text = ''
  // The size that `text` would have with the files read completely.
  let size = 0
  for (const path of paths) {
    const file = await readText(fileAccess, {
      path: resolvePath(fileAccess.folder, path),
      description: `${kind} ${path}`,
      maxBytes: Math.max(0, maxBytes - size) + maxCharacterBytes,
      signal,
    })
    if (E.isLeft(file)) return file
    const header = `${newlineIfMissing(text)}// file: ${path}\n`
    text += header + file.right.text
    size += Buffer.byteLength(header) + file.right.size
  }
  return E.right(cutBundle(text, size, maxBytes))
}

const cutBundle = (text: string, size: number, maxBytes: number): Bundle => {
  if (size <= maxBytes) return { text, truncated: false, size }
  const prefix = cutBytes(text, maxBytes)
  return { text: prefix + newlineIfMissing(prefix) + truncationMarker, truncated: true, size }
}

/** Returns a newline if the last line of a text has none, or else `''`. */
const newlineIfMissing = (text: string): string => (text === '' || text.endsWith('\n') ? '' : '\n')
