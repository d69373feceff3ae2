import { dirname, join } from 'node:path'
import * as E from 'fp-ts/Either'
import type { CommandOutcome } from '../../lib/cli/command-result'
import { type Failure, interrupted, usage } from '../../lib/failure/failure'
import { appendJobSummary } from '../../lib/failure/job-summary'
import { runFileOperation } from '../../lib/failure/named-files'
import { exitCodes } from '../../lib/failure/report'
import { type CheckResult, checkProgram, findProgram } from '../../lib/replay/check'
import { formatCheckJunit, formatCheckMarkdown } from '../../lib/replay/check-reports'
import type { ScenarioProgram } from '../../lib/replay/run-program'
import { archiveName, decodeArchive } from '../../lib/replay/scenarios'
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

/** Runs `svc fixtures`: writes the scenarios of svc into a folder, or checks scenarios with a program. */
export const runFixtures = async (context: FixturesContext): Promise<CommandOutcome> => {
  const { args, flags, runtime } = context
  const [folder] = args
  const fault = describeOptionFault(context)
  if (fault !== undefined) return E.left(usage(fault))
  // Without --check there is a folder: describeOptionFault has checked that.
  if (!flags.check) return writeScenarios(folder ?? '', runtime.files)
  const { command } = flags
  const program = await runFileOperation(`run ${command ?? 'svc'}`, async () =>
    findProgram(command, runtime.env.PATH),
  )()
  if (E.isLeft(program)) return program
  const checked =
    folder === undefined
      ? await checkBundledScenarios(program.right, context)
      : await checkScenarios(folder, program.right, context)
  return E.isLeft(checked) ? checked : reportCheck(checked.right, context)
}

/** Returns the error message for options that cannot be combined; `undefined` if there is no fault. */
const describeOptionFault = ({ args, flags, runtime }: FixturesContext): string | undefined => {
  const [folder] = args
  if (flags.check) {
    if (flags.update && folder === undefined) return '--update needs a folder'
    if (flags.update && runtime.env.CI) return '--update is refused if CI is set'
    return undefined
  }
  const checkOnlyFlags = ['command', 'update', 'junit'] as const
  const misplacedFlag = checkOnlyFlags.find((name) => flags[name])
  if (misplacedFlag !== undefined) return `--${misplacedFlag} needs --check`
  return folder === undefined ? 'pass a folder or --check' : undefined
}

/** Writes the scenarios of svc into a folder. Fails with a usage error if the folder is not empty. */
const writeScenarios = async (folder: string, files: Files): Promise<CommandOutcome> => {
  const existing = await runFileOperation(`list ${folder}`, () => listFolder(folder, files))()
  if (E.isLeft(existing)) return existing
  if (existing.right.length > 0) return E.left(usage(`${folder} is not empty; name a new folder`))
  const fileCount = await unpackScenarios(folder, files)
  if (E.isLeft(fileCount)) return fileCount
  return E.right({ stdout: { document: { wrote: folder, files: fileCount.right } } })
}

/** Lists the files in a folder; returns an empty list if the folder does not exist. */
const listFolder = async (
  folder: string,
  files: Pick<Files, 'list'>,
): Promise<ReadonlyArray<string>> => {
  try {
    return await files.list(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** The path of the archive in an installed program. The bundler puts this code into a chunk one folder below it. */
const archivePath = join(import.meta.dirname, '..', archiveName)

/** Writes all scenarios of svc into a folder, with the outputs that they expect (`golden/`). Resolves with the number of files. */
const unpackScenarios = (
  folder: string,
  files: Pick<Files, 'read' | 'makeFolder' | 'create'>,
): Promise<E.Either<Failure, number>> =>
  runFileOperation(`write to ${folder}`, async () => {
    const unpacked = decodeArchive(await files.read(archivePath))
    const subfolders = new Set(unpacked.map(([path]) => dirname(path)))
    for (const subfolder of subfolders) await files.makeFolder(join(folder, subfolder))
    for (const [path, text] of unpacked) await files.create(join(folder, path), text, 0o644)
    return unpacked.length
  })()

/** Checks the scenarios of svc itself, in a temporary folder. */
const checkBundledScenarios = async (
  program: ScenarioProgram,
  context: FixturesContext,
): Promise<E.Either<Failure, CheckResult>> => {
  const temporary = await runFileOperation('make a temporary folder', async () =>
    makeTemporaryFolder(),
  )()
  if (E.isLeft(temporary)) return temporary
  const { path, remove } = temporary.right
  try {
    const unpacked = await unpackScenarios(path, context.runtime.files)
    if (E.isLeft(unpacked)) return unpacked
    return await checkScenarios(path, program, context)
  } finally {
    await runFileOperation('remove a temporary folder', async () => remove())()
  }
}

/** Checks the scenarios in a folder. Fails as interrupted after a signal, because scenarios that did not run count as passed. */
const checkScenarios = async (
  folder: string,
  program: ScenarioProgram,
  { flags, runtime: { signal } }: FixturesContext,
): Promise<E.Either<Failure, CheckResult>> => {
  const options = { signal, update: flags.update }
  const check = runFileOperation(`check ${folder}`, () => checkProgram(folder, program, options))
  const checked = await check()
  return signal.aborted ? E.left(interrupted) : checked
}

/** Writes the JUnit report of `--junit` and the job summary. The exit code is 8 if a scenario failed. */
const reportCheck = async (
  checked: CheckResult,
  { flags, runtime }: FixturesContext,
): Promise<CommandOutcome> => {
  const { junit } = flags
  if (junit !== undefined) {
    const xml = formatCheckJunit(checked)
    const written = await runFileOperation(`write ${junit}`, () =>
      runtime.files.replace(junit, xml),
    )()
    if (E.isLeft(written)) return written
  }
  const appended = await appendJobSummary(runtime, formatCheckMarkdown(checked))()
  if (E.isLeft(appended)) return appended
  return E.right({
    stdout: { document: checked },
    exitCode: checked.failed.length === 0 ? exitCodes.ok : exitCodes.flagged,
  })
}
