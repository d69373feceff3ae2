import { dirname, join } from 'node:path'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { CommandResult } from '../../lib/cli/command-result'
import { exitCode } from '../../lib/failure/classify'
import { type Failure, usage } from '../../lib/failure/failure'
import { access, appendJobSummary } from '../../lib/failure/named-files'
import { type Checked, checkProgram, findProgram } from '../../lib/replay/check'
import { writeCheckJunit, writeCheckMarkdown } from '../../lib/replay/check-reports'
import type { Program } from '../../lib/replay/run-program'
import { archiveName, unpackArchive } from '../../lib/replay/scenarios'
import { makeTemporaryFolder } from '../../lib/replay/working-folder'
import { codeOf } from '../../lib/runtime/node/error-reason'
import type { Files, Runtime } from '../../lib/runtime/runtime'

/** The options of `svc fixtures`. */
interface FixturesOptions {
  readonly check: boolean
  readonly command: string | undefined
  readonly update: boolean
  readonly junit: string | undefined
}

interface FixturesContext {
  readonly args: ReadonlyArray<string>
  readonly flags: FixturesOptions
  readonly runtime: Runtime
}

/** Runs `svc fixtures`: lays the scenarios of svc out, or runs scenarios with a program. */
export const runFixtures =
  (context: FixturesContext): TE.TaskEither<Failure, CommandResult> =>
  async () => {
    const { args, flags, runtime } = context
    const [folder] = args
    const refused = findRefusal(context)
    if (refused !== undefined) return E.left(usage(refused))
    if (!flags.check) return layOutNew(folder ?? '', runtime.files)()
    const { command } = flags
    const program = await access(`run ${command ?? 'svc'}`, async () =>
      findProgram(command, runtime.env.PATH),
    )()
    if (E.isLeft(program)) return program
    const checking =
      folder === undefined
        ? checkOwn(program.right, context)
        : check(folder, program.right, context)
    const checked = await checking()
    return E.isLeft(checked) ? checked : report(checked.right, context)()
  }

/** Says why the options do not fit together; `undefined` if they do. */
const findRefusal = ({ args: [folder], flags, runtime }: FixturesContext): string | undefined => {
  if (flags.check) {
    if (flags.update && folder === undefined) return '--update needs a folder'
    if (flags.update && runtime.env.CI) return '--update is refused where CI is set'
    return undefined
  }
  const given = (['command', 'update', 'junit'] as const).find((name) => flags[name])
  if (given !== undefined) return `--${given} needs --check`
  return folder === undefined ? 'give a folder, or pass --check' : undefined
}

/** Writes the scenarios of svc below a folder. Fails with a usage error if the folder holds a file. */
const layOutNew = (folder: string, files: Files): TE.TaskEither<Failure, CommandResult> =>
  pipe(
    refuseFull(folder, files),
    TE.chain(() => layOut(folder, files)),
    TE.map((count) => ({ stdout: { document: { wrote: folder, files: count } } })),
  )

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

/** Writes all scenarios and goldens below a folder. Returns how many files they are. */
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

/** Checks the scenarios of svc itself, in a temporary folder. */
const checkOwn = (program: Program, context: FixturesContext): TE.TaskEither<Failure, Checked> =>
  TE.bracket(
    access('make a folder', async () => makeTemporaryFolder()),
    ({ path }) =>
      pipe(
        layOut(path, context.runtime.files),
        TE.chain(() => check(path, program, context)),
      ),
    ({ remove }) => access('remove a folder', async () => remove()),
  )

const check = (
  folder: string,
  program: Program,
  { flags: { update }, runtime: { signal } }: FixturesContext,
): TE.TaskEither<Failure, Checked> =>
  access(`check ${folder}`, () => checkProgram(folder, program, { signal, update }))

/** Writes the reports. The exit code is 8 if a scenario failed. */
const report = (
  checked: Checked,
  { flags: { junit }, runtime }: FixturesContext,
): TE.TaskEither<Failure, CommandResult> =>
  pipe(
    junit === undefined
      ? TE.right(undefined)
      : access(`write ${junit}`, () => runtime.files.replace(junit, writeCheckJunit(checked))),
    TE.chain(() => appendJobSummary(runtime, writeCheckMarkdown(checked))),
    TE.map(() => ({
      stdout: { document: checked },
      exit: checked.failed.length === 0 ? exitCode.ok : exitCode.flagged,
    })),
  )
