import { isAbsolute, join } from 'node:path'
import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { cutBytes } from '../failure/text/cut'
import { type FileRules, readText } from './read-text'

/** The concatenated files of a unit's implementation, or of its tests. */
export interface Bundle {
  /** The text, cut to the budget. If it was cut, the last line says so. */
  readonly text: string
  readonly truncated: boolean
  /** The size before any cut, in bytes. */
  readonly size: number
}

/** The last line of a bundle that was cut. */
const truncationMarker = '// ...(truncated)'

/** Resolves a path of the configuration. `folder` is that of the configuration, to which paths are relative. */
export const resolvePath = (folder: string, path: string): string =>
  isAbsolute(path) ? path : join(folder, path)

/**
 * Concatenates files, each under a header line, and cuts the result to `budget` bytes. Reads only as much of a file
 * as the budget needs. Fails with a message for the report, in which `label` names the kind of files.
 */
export const bundleFiles =
  (
    rules: FileRules,
    label: string,
    paths: ReadonlyArray<string>,
    budget: number,
    signal: AbortSignal,
  ): TE.TaskEither<string, Bundle> =>
  async () => {
    let text = ''
    let size = 0
    for (const path of paths) {
      const limit = Math.max(0, budget - size) + maxCharacterBytes
      const fullPath = resolvePath(rules.folder, path)
      const file = await readText(rules, fullPath, `${label} ${path}`, limit, signal)()
      if (E.isLeft(file)) return file
      const header = `${endLine(text)}// file: ${path}\n`
      text += header + file.right.text
      size += Buffer.byteLength(header) + file.right.size
    }
    return E.right(cutBundle(text, size, budget))
  }

/** The maximum size of a character in UTF-8. svc reads this many bytes more than the budget, to cut at a character boundary. */
const maxCharacterBytes = 4

const cutBundle = (text: string, size: number, budget: number): Bundle => {
  if (size <= budget) return { text, truncated: false, size }
  const prefix = cutBytes(text, budget)
  return { text: prefix + endLine(prefix) + truncationMarker, truncated: true, size }
}

/** Returns a newline if the last line of a text has none. */
const endLine = (text: string): string => (text === '' || text.endsWith('\n') ? '' : '\n')
