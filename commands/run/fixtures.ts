import { dirname, join } from 'node:path'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Context, Run } from '../../lib/cli/declaration'
import { exitCode } from '../../lib/failure/classify'
import { type Failure, usage } from '../../lib/failure/failure'
import { access } from '../../lib/failure/named-files'
import { checkProgram, findProgram } from '../../lib/replay/check'
import { archiveName, unpackArchive } from '../../lib/replay/scenarios'
import { makeTemporaryFolder } from '../../lib/replay/working-folder'
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
    access('make a folder', async () => makeTemporaryFolder()),
    ({ path }) =>
      pipe(
        layOut(path, runtime.files),
        TE.chain(() =>
          access(`run ${flags.command ?? 'svc'}`, async () =>
            checkProgram(path, findProgram(flags.command, runtime.env.PATH), runtime.signal),
          ),
        ),
        TE.map((checked) => ({
          stdout: { document: checked },
          exit: checked.failed.length === 0 ? exitCode.ok : exitCode.flagged,
        })),
      ),
    ({ remove }) => access('remove a folder', async () => remove()),
  )
