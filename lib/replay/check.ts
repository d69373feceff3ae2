import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import type { Version } from '../runtime/build'
import { reasonOf } from '../runtime/node/error-reason'
import { formatGolden, listDiffering, readGolden, writeGolden } from './golden'
import { runProgram, type ScenarioProgram } from './run-program'
import { listFiles, type NamedScenario, readScenarios } from './scenarios'

/**
 * The result of running scenarios with a program, and comparing their outcomes with their goldens. A golden is the output that a
 * scenario must have. This and `FailedScenario` are a `type`, because svc encodes them as JSON, and TypeScript does not accept an
 * interface there.
 */
export type CheckResult = {
  /** The number of scenarios that were run. */
  readonly scenarios: number
  readonly passed: number
  readonly failed: ReadonlyArray<FailedScenario>
}

/** A scenario that failed, or a golden without a scenario. */
export type FailedScenario = {
  readonly scenario: string
  /** The golden files that differ: `stdout`, `stderr`, `exit`, `files/...`. */
  readonly differs: ReadonlyArray<string>
  /** The differences of requests, or why the scenario could not run. */
  readonly problems: ReadonlyArray<string>
}

export interface CheckOptions {
  /** After it has fired, no further scenario starts. The result is then meaningless: scenarios that did not run count as passed. */
  readonly signal: AbortSignal
  /** `true` if the outcome of each scenario is written as its golden, unless a request differed. */
  readonly update?: boolean | undefined
}

/** The path of this program when it is installed. The bundler puts this code into a file in a folder beside it. */
const installedProgramPath = join(import.meta.dirname, '..', 'bin.js')

/**
 * Finds the program to check and runs its command `version`. A `name` with a slash is a path. Any other name is looked up
 * in `searchPath`, the PATH. Without a name it is this program. Throws if the program does not run.
 */
export const findProgram = (name: string | undefined, searchPath = ''): ScenarioProgram => {
  // An empty entry of PATH means the working folder, whose programs must not run by their name.
  const searchFolders = searchPath.split(delimiter).filter((folder) => folder !== '')
  // A program that is a script finds this Node first.
  const folders = [dirname(process.execPath), ...searchFolders]
  const env = { PATH: folders.join(delimiter) }
  const file = name !== undefined && /[/\\]/.test(name) ? resolve(name) : name
  const command: ScenarioProgram['command'] =
    file === undefined ? [process.execPath, installedProgramPath] : [file]
  return { command, env, version: readVersion(command, env) }
}

const readVersion = (
  [file, ...args]: ScenarioProgram['command'],
  env: ScenarioProgram['env'],
): Version => {
  const { stdout, error, status } = spawnSync(file, [...args, 'version'], { env, encoding: 'utf8' })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`its "version" ends with exit code ${status}`)
  return JSON.parse(stdout)
}

/**
 * Runs the scenarios below `<root>/fixtures`, as many at a time as there are processors, and compares the outcomes with
 * `<root>/golden`. Leaves out scenarios with `"only": "in-process"`, which a child process cannot repeat, and those without a
 * command. Throws if there is no scenario, or if a scenario cannot be read.
 */
export const checkProgram = async (
  root: string,
  program: ScenarioProgram,
  options: CheckOptions,
): Promise<CheckResult> => {
  const scenarios = readScenarios(root)
  if (scenarios.length === 0) throw new Error(`no scenario in ${join(root, 'fixtures')}`)
  const runnable = scenarios.filter(
    ({ scenario }) => scenario.only !== 'in-process' && scenario.command !== undefined,
  )
  const failed: Array<FailedScenario> = []
  // All workers take their scenarios from this iterator.
  const queue = runnable.values()
  const runWorker = async (): Promise<void> => {
    for (const namedScenario of queue) {
      if (options.signal.aborted) return
      const failedScenario = await checkScenario(root, namedScenario, program, options)
      if (failedScenario !== undefined) failed.push(failedScenario)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, runWorker))
  const passed = runnable.length - failed.length
  failed.push(...listGoldensWithoutScenario(root, scenarios))
  // No two elements have the same name.
  failed.sort((a, b) => (a.scenario < b.scenario ? -1 : 1))
  return { scenarios: runnable.length, passed, failed }
}

/** Runs a scenario and compares its outcome with its golden, or replaces the golden. Resolves with `undefined` if it passed. */
const checkScenario = async (
  root: string,
  namedScenario: NamedScenario,
  program: ScenarioProgram,
  { update }: CheckOptions,
): Promise<FailedScenario | undefined> => {
  const { name } = namedScenario
  const hasGolden = existsSync(join(root, 'golden', name))
  if (!update && !hasGolden)
    return { scenario: name, differs: [], problems: ['it has no golden: run with --update'] }
  try {
    const outcome = await runProgram(namedScenario, program)
    const { problems } = outcome
    const receivedFiles = formatGolden(outcome)
    if (update && problems.length === 0) {
      writeGolden(root, name, receivedFiles)
      return undefined
    }
    const differs = listDiffering(readGolden(root, name), receivedFiles)
    return differs.length + problems.length === 0
      ? undefined
      : { scenario: name, differs, problems }
  } catch (error) {
    return { scenario: name, differs: [], problems: [reasonOf(error)] }
  }
}

const listGoldensWithoutScenario = (
  root: string,
  scenarios: ReadonlyArray<NamedScenario>,
): ReadonlyArray<FailedScenario> => {
  const orphanedFiles = listFiles(join(root, 'golden')).filter(
    (file) => !scenarios.some(({ name }) => file.startsWith(`${name}/`)),
  )
  const orphanedFolders = new Set(orphanedFiles.map((file) => dirname(file)))
  return [...orphanedFolders].map((folder) => ({
    scenario: folder,
    differs: [],
    problems: ['a golden without a scenario'],
  }))
}
