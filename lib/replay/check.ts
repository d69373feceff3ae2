import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import type { Version } from '../runtime/build'
import { reasonOf } from '../runtime/node/error-reason'
import { listDiffering, readGolden, toGolden, writeGolden } from './golden'
import { type Program, runProgram } from './run-program'
import { listFiles, type NamedScenario, readScenarios } from './scenarios'

/** The result of running scenarios with a program. */
export type Checked = {
  /** How many were run. */
  readonly scenarios: number
  readonly passed: number
  readonly failed: ReadonlyArray<FailedScenario>
}

export type FailedScenario = {
  readonly scenario: string
  /** The golden files that differ: `stdout`, `stderr`, `exit`, `files/...`. */
  readonly differs: ReadonlyArray<string>
  /** What was wrong with the requests that the program made, or with the folder. */
  readonly problems: ReadonlyArray<string>
}

/** How scenarios are checked. */
export interface CheckOptions {
  /** No scenario starts once it has fired. */
  readonly signal: AbortSignal
  /** Writes what came as the golden of each scenario whose requests were right, in place of comparing. */
  readonly update?: boolean | undefined
}

/**
 * Finds the program to check: a path if `name` has a slash, else a name on `searchPath`, and this program if there is no
 * name. Asks it for its version. Throws if it does not run. A script needs `searchPath`, the PATH, to find Node.
 */
export const findProgram = (name: string | undefined, searchPath = ''): Program => {
  // An empty entry of PATH is the working folder, whose programs must not run by their name.
  const folders = [dirname(process.execPath), ...searchPath.split(delimiter).filter(Boolean)]
  const env = { PATH: folders.join(delimiter) }
  const [, self = ''] = process.argv
  const file = name !== undefined && /[/\\]/.test(name) ? resolve(name) : name
  const command: Program['command'] = file === undefined ? [process.execPath, self] : [file]
  return { command, env, version: readVersion(command, env) }
}

const readVersion = ([file, ...args]: Program['command'], env: Program['env']): Version => {
  const { stdout, error, status } = spawnSync(file, [...args, 'version'], { env, encoding: 'utf8' })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`its "version" ends with exit code ${status}`)
  return JSON.parse(stdout)
}

/**
 * Runs the scenarios in a folder that holds `fixtures` and `golden` with a program, several at a time, and reports which
 * differ from their goldens. Leaves out scenarios that need a terminal, and those without a command. Throws if the folder has
 * no scenario, or one that cannot be read.
 */
export const checkProgram = async (
  root: string,
  program: Program,
  options: CheckOptions,
): Promise<Checked> => {
  const all = readScenarios(root)
  if (all.length === 0) throw new Error(`no scenario in ${join(root, 'fixtures')}`)
  const chosen = all.filter(
    ({ scenario }) => scenario.only !== 'in-process' && scenario.command !== undefined,
  )
  const failed = [...findLostGoldens(root, all)]
  const lost = failed.length
  const left = chosen.values()
  const runNext = async (): Promise<void> => {
    for (const named of left) {
      if (options.signal.aborted) return
      const found = await checkScenario(root, named, program, options)
      if (found !== undefined) failed.push(found)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, runNext))
  failed.sort((a, b) => (a.scenario < b.scenario ? -1 : 1))
  const passed = chosen.length - (failed.length - lost)
  return { scenarios: chosen.length, passed, failed }
}

const checkScenario = async (
  root: string,
  named: NamedScenario,
  program: Program,
  { update }: CheckOptions,
): Promise<FailedScenario | undefined> => {
  const { name } = named
  const hasGolden = existsSync(join(root, 'golden', name))
  if (!update && !hasGolden)
    return { scenario: name, differs: [], problems: ['it has no golden: run with --update'] }
  try {
    const outcome = await runProgram(named, program)
    const { problems } = outcome
    const came = toGolden(outcome)
    if (update && problems.length === 0) writeGolden(root, name, came)
    const differs = listDiffering(hasGolden || update ? readGolden(root, name) : {}, came)
    return differs.length + problems.length === 0
      ? undefined
      : { scenario: name, differs, problems }
  } catch (error) {
    return { scenario: name, differs: [], problems: [reasonOf(error)] }
  }
}

/** The folders of goldens that belong to no scenario. */
const findLostGoldens = (
  root: string,
  all: ReadonlyArray<NamedScenario>,
): ReadonlyArray<FailedScenario> => {
  const files = listFiles(join(root, 'golden'))
  const lost = files.filter((file) => !all.some(({ name }) => file.startsWith(`${name}/`)))
  return [...new Set(lost.map((file) => dirname(file)))].map((scenario) => ({
    scenario,
    differs: [],
    problems: ['a golden without a scenario'],
  }))
}
