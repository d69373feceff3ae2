import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { codeOf, reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'
import { type Failure, usage } from './failure'

/** New files are readable by everyone and writable by their owner. */
const newFileMode = 0o644

/**
 * Writes a new file. Fails with a usage error if the file exists or cannot be written. If it exists, the message names what the user
 * can pass instead: `alternative`, such as a flag.
 */
export const createFile = (
  files: Pick<Files, 'create'>,
  path: string,
  content: string | Uint8Array,
  alternative: string,
): TE.TaskEither<Failure, void> =>
  TE.tryCatch(
    () => files.create(path, content, newFileMode),
    (error) =>
      codeOf(error) === 'EEXIST'
        ? usage(`${path} already exists; remove it or pass ${alternative}`)
        : usage(`write ${path}: ${reasonOf(error)}`),
  )

/**
 * Runs an operation on a file or folder that the user named. A rejection becomes a usage error with the operation's name and
 * the system's reason: `write report out.json: permission denied`.
 */
export const runFileOperation = <A>(
  operation: string,
  run: () => Promise<A>,
): TE.TaskEither<Failure, A> =>
  TE.tryCatch(run, (error) => usage(`${operation}: ${reasonOf(error)}`))

/** A file that a command reads or writes. */
export interface NamedFile {
  /** The name in messages, such as `--junit`. */
  readonly name: string
  readonly path: string
}

/** Lists the files that the values of some flags name. `names` are the names of these flags, without `--`. */
export const listNamedFiles = <F extends string>(
  flags: Readonly<Record<NoInfer<F>, string | ReadonlyArray<string> | undefined>>,
  ...names: ReadonlyArray<F>
): ReadonlyArray<NamedFile> =>
  names.flatMap((name) => {
    // A flag is absent, or has one value, or a list of values. `flat` makes a list of each.
    const paths = [flags[name] ?? []].flat()
    return paths.map((path) => ({ name: `--${name}`, path }))
  })

/**
 * Checks that a command does not overwrite a file that it reads, and does not write two outputs to one file. svc compares the real
 * paths of the files, so it notices symbolic links and different spellings of a path. It skips standard input (`-`), and files in
 * folders that do not exist. Fails with a usage error that names the flags of the two files, and the path.
 */
export const checkDistinctFiles =
  (
    files: Pick<Files, 'realPath'>,
    reads: ReadonlyArray<NamedFile>,
    writes: ReadonlyArray<NamedFile>,
  ): TE.TaskEither<Failure, void> =>
  async () => {
    const findRealPath = (path: string) => files.realPath(path).catch(() => undefined)
    const nameByRealPath = new Map<string, string>()
    for (const { name, path } of reads.filter((file) => file.path !== '-')) {
      const realPath = await findRealPath(path)
      if (realPath !== undefined) nameByRealPath.set(realPath, name)
    }
    for (const { name, path } of writes) {
      const realPath = await findRealPath(path)
      if (realPath === undefined) continue
      const otherName = nameByRealPath.get(realPath)
      if (otherName !== undefined)
        return E.left(usage(`${name} and ${otherName} name the same file ${path}`))
      nameByRealPath.set(realPath, name)
    }
    return E.right(undefined)
  }

/**
 * Fails with a usage error if the file of `--output` exists and is not empty, unless `--overwrite` is passed: the file may hold
 * labels or other work of people.
 */
export const checkOverwrite =
  (
    files: Pick<Files, 'size'>,
    { output, overwrite }: { readonly output: string | undefined; readonly overwrite: boolean },
  ): TE.TaskEither<Failure, void> =>
  async () => {
    if (output === undefined || overwrite) return E.right(undefined)
    // A file that does not exist has no size.
    const size = await files.size(output).catch(() => undefined)
    return size === undefined || size === 0
      ? E.right(undefined)
      : E.left(usage(`${output} is not empty; pass --overwrite to replace it`))
  }

/**
 * Checks that a command can write its outputs, that no output is a file that it reads, and that no two outputs are the same file.
 * Call it before the command starts. Fails with a usage error. `label` names the outputs in messages: `write page out.html: …`.
 */
export const checkOutputs = (
  files: Pick<Files, 'realPath' | 'checkWritable'>,
  reads: ReadonlyArray<NamedFile>,
  writes: ReadonlyArray<NamedFile>,
  label: string,
): TE.TaskEither<Failure, unknown> =>
  pipe(
    checkDistinctFiles(files, reads, writes),
    TE.chain(() =>
      TE.traverseSeqArray(({ path }: NamedFile) =>
        runFileOperation(`write ${label} ${path}`, () => files.checkWritable(path)),
      )(writes),
    ),
  )
