import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { codeOf, reasonOf } from '../runtime/node/error-reason'
import type { Files, Runtime } from '../runtime/runtime'
import { type Failure, usage } from './failure'

/** New files are readable by everyone and writable by their owner. */
const newFileMode = 0o644

/**
 * Writes a new file at a path that the user named with `flag`. Never overwrites: an existing file is a usage error.
 */
export const createFile = (
  files: Pick<Files, 'create'>,
  path: string,
  content: string | Uint8Array,
  flag: string,
): TE.TaskEither<Failure, void> =>
  TE.tryCatch(
    () => files.create(path, content, newFileMode),
    (error) =>
      codeOf(error) === 'EEXIST'
        ? usage(`${path} already exists; remove it or pass ${flag}`)
        : usage(`write ${path}: ${reasonOf(error)}`),
  )

/**
 * Works with a file or folder that the user named. Fails with a usage error that says `what` was tried and the
 * system's reason: `write report out.json: permission denied`.
 */
export const access = <A>(what: string, act: () => Promise<A>): TE.TaskEither<Failure, A> =>
  TE.tryCatch(act, (error) => usage(`${what}: ${reasonOf(error)}`))

/** A file that a command reads or writes. */
export interface NamedFile {
  /** The name in messages, such as `--junit`. */
  readonly name: string
  readonly path: string
}

/** Lists the files that flags name. A flag that was not given names no file. */
export const listNamedFiles = <F extends string>(
  flags: Readonly<Record<NoInfer<F>, string | ReadonlyArray<string> | undefined>>,
  ...names: ReadonlyArray<F>
): ReadonlyArray<NamedFile> =>
  names.flatMap((name) => [flags[name] ?? []].flat().map((path) => ({ name: `--${name}`, path })))

/** Returns the file of the CI system's job summary if the environment names one. Summaries are appended to it. */
export const findJobSummary = ({
  GITHUB_STEP_SUMMARY: path,
}: Runtime['env']): ReadonlyArray<NamedFile> =>
  path ? [{ name: 'GITHUB_STEP_SUMMARY', path }] : []

/** Appends Markdown to the job summary if there is one. Fails with a usage error. */
export const appendJobSummary = (
  { env, files }: Pick<Runtime, 'env' | 'files'>,
  markdown: string,
): TE.TaskEither<Failure, void> =>
  pipe(
    findJobSummary(env),
    TE.traverseSeqArray(({ path }) =>
      access('write job summary', () => files.append(path, `${markdown}\n`)),
    ),
    TE.map(() => undefined),
  )

/**
 * Checks that a command neither overwrites a file that it reads nor writes two outputs to one file. Files are
 * compared by real path, which notices symbolic links and different spellings of a path. `-` is standard input. Fails
 * with a usage error that names both files.
 */
export const checkDistinctFiles =
  (
    { identity }: Pick<Files, 'identity'>,
    reads: ReadonlyArray<NamedFile>,
    writes: ReadonlyArray<NamedFile>,
  ): TE.TaskEither<Failure, void> =>
  async () => {
    const seen = new Map<string, string>()
    for (const { name, path } of reads.filter((file) => file.path !== '-')) {
      const known = await identity(path).catch(() => undefined)
      if (known !== undefined) seen.set(known, name)
    }
    for (const { name, path } of writes) {
      const known = await identity(path).catch(() => undefined)
      if (known === undefined) continue
      const other = seen.get(known)
      if (other !== undefined)
        return E.left(usage(`${name} and ${other} name the same file ${path}`))
      seen.set(known, name)
    }
    return E.right(undefined)
  }

/**
 * Refuses to replace a file that is not empty, unless `--overwrite` was given. `why` says what would be lost. Fails
 * with a usage error.
 */
export const refuseFilled = (
  files: Pick<Files, 'size'>,
  path: string | undefined,
  why: string,
): TE.TaskEither<Failure, void> => {
  if (path === undefined) return TE.right(undefined)
  return pipe(
    TE.fromTask(() => files.size(path).catch(() => undefined)),
    TE.filterOrElse(
      (size) => size === undefined || size === 0,
      () => usage(`${path} is not empty, and ${why}; pass --overwrite to replace it`),
    ),
    TE.map(() => undefined),
  )
}

/**
 * Checks, before anything is read, that a command can write its outputs and that it reads none of them. Fails with a
 * usage error that says `what` they are.
 */
export const checkOutputs = (
  files: Pick<Files, 'identity' | 'checkWritable'>,
  reads: ReadonlyArray<NamedFile>,
  writes: ReadonlyArray<NamedFile>,
  what: string,
): TE.TaskEither<Failure, unknown> =>
  pipe(
    checkDistinctFiles(files, reads, writes),
    TE.chain(() =>
      TE.traverseSeqArray(({ path }: NamedFile) =>
        access(`write ${what} ${path}`, () => files.checkWritable(path)),
      )(writes),
    ),
  )
