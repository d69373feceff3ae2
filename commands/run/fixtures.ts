import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Context, Run } from '../../lib/cli/declaration'
import { exitCode } from '../../lib/failure/classify'
import { type Failure, usage } from '../../lib/failure/failure'
import { access } from '../../lib/failure/named-files'
import { type Checked, checkProgram, readVersion } from '../../lib/replay/check'
import type { Program } from '../../lib/replay/run-program'
import { archiveName, unpackArchive } from '../../lib/replay/scenarios'
import { codeOf } from '../../lib/runtime/node/error-reason'
import type { Files } from '../../lib/runtime/runtime'
import type { FixturesFlags } from '../fixtures'

/** Runs `svc fixtures`: lays the scenarios out, or runs them with a program. */
export const runFixtures: Run<FixturesFlags> = (context) => {
  const { args, flags, runtime } = context
  const [folder] = args
  if (flags.check)
    return folder === undefined
      ? checkInTemporaryFolder(context)
      : TE.left(usage('give either a folder or --check'))
  if (flags.command !== undefined) return TE.left(usage('--command needs --check'))
  if (folder === undefined) return TE.left(usage('give a folder, or pass --check'))
  return pipe(
    refuseFull(folder, runtime.files),
    TE.chain(() => layOut(folder, runtime.files)),
    TE.map((files) => ({ stdout: { document: { wrote: folder, files } } })),
  )
}

/** Fails with a usage error where a folder holds a file. */
const refuseFull = (folder: string, files: Pick<Files, 'list'>): TE.TaskEither<Failure, void> =>
  pipe(
    access(`list ${folder}`, () =>
      files.list(folder).catch((error) => {
        if (codeOf(error) === 'ENOENT') return []
        throw error
      }),
    ),
    TE.chainEitherK((found) =>
      found.length === 0
        ? E.right(undefined)
        : E.left(usage(`${folder} is not empty; name a new folder`)),
    ),
  )

/** Where the archive is beside an installed program, whose parts are in a folder of their own. */
const archivePath = join(import.meta.dirname, '..', archiveName)

/** Writes all scenarios and goldens below a folder; gives how many files they are. */
const layOut = (
  folder: string,
  files: Pick<Files, 'read' | 'makeFolder' | 'create'>,
): TE.TaskEither<Failure, number> =>
  access(`lay out ${folder}`, async () => {
    const found = unpackArchive(await files.read(archivePath))
    for (const below of new Set(found.map(([path]) => dirname(path))))
      await files.makeFolder(join(folder, below))
    for (const [path, text] of found) await files.create(join(folder, path), text, 0o644)
    return found.length
  })

const checkInTemporaryFolder = ({ flags, runtime }: Context<FixturesFlags>) =>
  TE.bracket(
    access('make a folder', () => mkdtemp(join(tmpdir(), 'svc-fixtures-'))),
    (folder) =>
      pipe(
        layOut(folder, runtime.files),
        TE.chain(() => checkAll(folder, flags.command, runtime.signal)),
        TE.map((checked) => ({
          stdout: { document: checked },
          exit: checked.failed.length === 0 ? exitCode.ok : exitCode.flagged,
        })),
      ),
    (folder) => access('remove a folder', () => rm(folder, { recursive: true, force: true })),
  )

const checkAll = (
  folder: string,
  command: string | undefined,
  signal: AbortSignal,
): TE.TaskEither<Failure, Checked> =>
  access(`run ${command ?? 'svc'}`, () => checkProgram(folder, programOf(command), signal))

/** The program that a path or a name stands for, or this one. */
const programOf = (command: string | undefined): Program => {
  // A script needs the PATH to find Node.
  const env = { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) }
  const [, self = ''] = process.argv
  const file = command !== undefined && existsSync(command) ? resolve(command) : command
  const found: Program['command'] = file === undefined ? [process.execPath, self] : [file]
  return { command: found, env, version: readVersion(found, env) }
}
