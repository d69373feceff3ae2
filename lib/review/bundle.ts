import { isAbsolute, join } from 'node:path'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { prefixOfBytes } from '../text/cut'
import { type Reading, type ReadText, readText } from './read-text'

/** The concatenated files of a unit's implementation, or of its tests. */
export interface Bundle {
  /**
   * At most as many bytes of UTF-8 as the budget allows. Where it was cut, the marker follows on a line of its
   * own.
   */
  readonly text: string
  readonly truncated: boolean
  /** The size before any cut, in bytes. */
  readonly size: number
}

/** The last line of a bundle that was cut. */
const truncationMarker = '// ...(truncated)'

/** Resolves a path of the configuration. Relative paths start at the folder of the configuration. */
export const resolvePath = (folder: string, path: string): string =>
  isAbsolute(path) ? path : join(folder, path)

/**
 * Concatenates files, each under a header line, and cuts the result to `budget` bytes. No more than that is
 * read of a file. Fails with a message for the report, in which `label` says which files these are. spec:
 * Bundling; D30, D58
 */
export const bundle =
  (reading: Reading, label: string, paths: ReadonlyArray<string>, budget: number) =>
  (signal: AbortSignal): TE.TaskEither<string, Bundle> =>
    pipe(
      paths.reduce<TE.TaskEither<string, Begun>>(
        (before, path) =>
          pipe(
            before,
            TE.chain((begun) =>
              pipe(
                readText(
                  reading,
                  resolvePath(reading.folder, path),
                  `${label} ${path}`,
                  Math.max(0, budget - begun.size) + longestCharacter,
                )(signal),
                TE.map((file) => joined(begun, `// file: ${path}\n`, file)),
              ),
            ),
          ),
        TE.right({ text: '', size: 0 }),
      ),
      TE.map(({ text, size }) => cut(text, size, budget)),
    )

/**
 * A bundle in the making: its text, complete up to the budget, and its full size in bytes, including what was
 * not read.
 */
interface Begun {
  readonly text: string
  readonly size: number
}

/**
 * The longest character of UTF-8, in bytes. Reading so much more than the budget shows whether the cut falls
 * inside a character.
 */
const longestCharacter = 4

const joined = ({ text, size }: Begun, header: string, file: ReadText): Begun => {
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  const begin = gap + header
  return { text: text + begin + file.text, size: size + Buffer.byteLength(begin) + file.size }
}

const cut = (text: string, size: number, budget: number): Bundle => {
  if (size <= budget) return { text, truncated: false, size }
  const kept = prefixOfBytes(text, budget)
  const gap = kept === '' || kept.endsWith('\n') ? '' : '\n'
  return { text: kept + gap + truncationMarker, truncated: true, size }
}
