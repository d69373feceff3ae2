import { isAbsolute, join } from 'node:path'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Files } from '../runtime/runtime'
import { prefixOfBytes } from '../text/cut'
import { readText } from './read-text'

/** The files of one side of a unit (its implementation or its tests), one after the other. */
export interface Bundle {
  /** At most the budget's bytes of UTF-8; where that cut it, the marker follows on a line of its own. */
  readonly text: string
  readonly truncated: boolean
  /** The size before any cut, in bytes. */
  readonly size: number
}

/** The last line of a bundle that was cut. */
const truncationMarker = '// ...(truncated)'

/** A path of the configuration as the system takes it. Relative ones start at the configuration's folder. */
export const resolvePath = (folder: string, path: string): string =>
  isAbsolute(path) ? path : join(folder, path)

/**
 * Concatenates the files of `paths`, each under a header line, and cuts the whole to `budget`
 * bytes. Fails with a text for the report, where `label` says which files these are.
 * spec: Bundling; D30
 */
export const bundle = (
  files: Files,
  folder: string,
  label: string,
  paths: ReadonlyArray<string>,
  budget: number,
): TE.TaskEither<string, Bundle> =>
  pipe(
    paths,
    TE.traverseSeqArray((path) =>
      pipe(
        readText(files, resolvePath(folder, path), `${label} ${path}`),
        TE.map((text) => `// file: ${path}\n${text}`),
      ),
    ),
    TE.map((parts) => cut(parts.reduce(onItsOwnLine, ''), budget)),
  )

const onItsOwnLine = (before: string, text: string): string =>
  before === '' || before.endsWith('\n') ? before + text : `${before}\n${text}`

const cut = (whole: string, budget: number): Bundle => {
  const size = Buffer.byteLength(whole)
  if (size <= budget) return { text: whole, truncated: false, size }
  const text = onItsOwnLine(prefixOfBytes(whole, budget), truncationMarker)
  return { text, truncated: true, size }
}
