import { basename, dirname, join } from 'node:path'
import * as E from 'fp-ts/Either'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { AnyCommand } from '../../lib/cli/declaration'
import { describeUnsafeCommand } from '../../lib/cli/safe-command'
import { type Failure, interrupted, usage } from '../../lib/failure/failure'
import { appendJobSummary } from '../../lib/failure/job-summary'
import { runFileOperation } from '../../lib/failure/named-files'
import { exitCodes } from '../../lib/failure/report'
import { type CheckOutcome, checkProgram } from '../../lib/replay/check'
import {
  formatCheckJunit,
  formatCheckMarkdown,
  formatCheckSummary,
} from '../../lib/replay/check-reports'
import { findProgram, type ScenarioProgram } from '../../lib/replay/program'
import { archiveName, decodeArchive } from '../../lib/replay/scenarios'
import { makeTemporaryFolder, type Replacements } from '../../lib/replay/working-folder'
import { codeOf } from '../../lib/runtime/node/error-reason'
import type { Files, Runtime } from '../../lib/runtime/runtime'

/** The options of `svc fixtures`. */
interface FixturesOptions {
  readonly check: boolean
  readonly command: string | undefined
  readonly update: boolean
  readonly junit: string | undefined
  readonly with: ReadonlyArray<string>
}

interface FixturesContext {
  readonly args: ReadonlyArray<string>
  readonly flags: FixturesOptions
  readonly runtime: Runtime
  readonly commands: ReadonlyArray<AnyCommand>
}

/** Runs `svc fixtures`: writes the scenarios of svc into a folder, or checks scenarios with a program. */
export const runFixtures = async (programContext: FixturesContext): Promise<CommandOutcome> => {
  const context = { ...programContext, runtime: watchHangup(programContext.runtime) }
  const { args, flags, runtime } = context
  const [folder] = args
  const fault = describeOptionFault(context)
  if (fault !== undefined) return E.left(usage(fault))
  // Without --check there is a folder: describeOptionFault has checked that.
  if (!flags.check) return writeScenarios(folder ?? '', runtime.files)
  const replacements = await readReplacements(flags.with, runtime.files)
  if (E.isLeft(replacements)) return replacements
  const { command } = flags
  const program = await runFileOperation(`run ${command ?? 'svc'}`, () =>
    findProgram(command, runtime.env, runtime.signal),
  )()
  if (runtime.signal.aborted) return E.left(interrupted)
  if (E.isLeft(program)) return program
  const setup = { program: program.right, replacements: replacements.right }
  const checked =
    folder === undefined
      ? await checkBundledScenarios(setup, context)
      : await checkScenarios(folder, setup, context)
  return E.isLeft(checked) ? checked : reportCheck(checked.right, context)
}

/** Returns a runtime whose signal also fires on SIGHUP, so that a closed terminal leaves no program and no folder behind. */
const watchHangup = (runtime: Runtime): Runtime => {
  const hangup = new AbortController()
  runtime.onHangup?.(() => hangup.abort())
  return { ...runtime, signal: AbortSignal.any([runtime.signal, hangup.signal]) }
}

/** Returns the error message for options that cannot be combined; `undefined` if there is no fault. */
const describeOptionFault = ({ args, flags, runtime }: FixturesContext): string | undefined => {
  const [folder] = args
  if (flags.check) {
    if (flags.update && folder === undefined) return '--update needs a folder'
    if (flags.update && runtime.env.CI) return '--update is refused if CI is set'
    const names = flags.with.map((path) => basename(path))
    const repeated = names.find((name, index) => names.indexOf(name) !== index)
    return repeated === undefined ? undefined : `two files of --with have the name ${repeated}`
  }
  const checkOnlyFlags = ['command', 'update', 'junit'] as const
  const misplacedFlag = flags.with.length > 0 ? 'with' : checkOnlyFlags.find((name) => flags[name])
  if (misplacedFlag !== undefined) return `--${misplacedFlag} needs --check`
  return folder === undefined ? 'pass a folder or --check' : undefined
}

/** The maximum size of a file of `--with`: 64 MiB. */
const maxReplacementBytes = 64 << 20

/** Reads the files of `--with`. Returns their content by name. */
const readReplacements = async (
  paths: ReadonlyArray<string>,
  files: Pick<Files, 'read'>,
): Promise<E.Either<Failure, Replacements>> => {
  const replacements = new Map<string, Uint8Array>()
  for (const path of paths) {
    const bytes = await runFileOperation(`read ${path}`, () =>
      files.read(path, maxReplacementBytes),
    )()
    if (E.isLeft(bytes)) return bytes
    replacements.set(basename(path), bytes.right)
  }
  return E.right(replacements)
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

/** The options of a check of scenarios. */
interface CheckSetup {
  readonly program: ScenarioProgram
  readonly replacements: Replacements
}

/** Checks the scenarios of svc itself, in a temporary folder. */
const checkBundledScenarios = async (
  setup: CheckSetup,
  context: FixturesContext,
): Promise<E.Either<Failure, CheckOutcome>> => {
  const temporary = await runFileOperation('make a temporary folder', async () =>
    makeTemporaryFolder(),
  )()
  if (E.isLeft(temporary)) return temporary
  const { path, remove } = temporary.right
  try {
    const unpacked = await unpackScenarios(path, context.runtime.files)
    if (E.isLeft(unpacked)) return unpacked
    return await checkScenarios(path, setup, context)
  } finally {
    await runFileOperation('remove a temporary folder', async () => remove())()
  }
}

/** Checks the scenarios in a folder. Fails as interrupted after a signal, because scenarios that did not run count as passed. */
const checkScenarios = async (
  folder: string,
  { program, replacements }: CheckSetup,
  { flags, runtime: { signal }, commands }: FixturesContext,
): Promise<E.Either<Failure, CheckOutcome>> => {
  const check = runFileOperation(`check ${folder}`, () =>
    checkProgram(folder, program, {
      signal,
      update: flags.update,
      replacements,
      describeUnsafeCommand: (scenario) => describeUnsafeCommand(scenario, commands),
    }),
  )
  const checked = await check()
  return signal.aborted ? E.left(interrupted) : checked
}

/** Writes the JUnit report of `--junit` and the job summary, and a line to stderr. The exit code is 8 if a scenario failed. */
const reportCheck = async (
  checked: CheckOutcome,
  { flags, runtime }: FixturesContext,
): Promise<CommandOutcome> => {
  const { result } = checked
  const { junit } = flags
  if (junit !== undefined) {
    const xml = formatCheckJunit(checked)
    const written = await runFileOperation(`write ${junit}`, () =>
      runtime.files.replace(junit, xml),
    )()
    if (E.isLeft(written)) return written
  }
  const appended = await appendJobSummary(runtime, formatCheckMarkdown(result))()
  if (E.isLeft(appended)) return appended
  const hasFailed = result.failed.length > 0
  if (hasFailed) await runtime.stderr.write(`${formatCheckSummary(result)}\n`)
  return E.right({
    stdout: { document: result },
    exitCode: hasFailed ? exitCodes.flagged : exitCodes.ok,
  })
}
