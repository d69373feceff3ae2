import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, dirname, resolve } from 'node:path'
import type { Version } from '../cli/build'
import { reasonOf } from '../runtime/node/error-reason'
import { listDiffering, readGolden, toGolden } from './golden'
import { type Program, runProgram } from './run-program'
import { type Named, readScenarios } from './scenarios'

/** What came of running the scenarios with a program. */
export type Checked = {
  /** How many were run. */
  readonly scenarios: number
  readonly passed: number
  readonly failed: ReadonlyArray<FailedScenario>
}

type FailedScenario = {
  readonly scenario: string
  /** The golden files that came out otherwise: `stdout`, `stderr`, `exit`, `files/...`. */
  readonly differs: ReadonlyArray<string>
  /** What was wrong with the requests that the program made. */
  readonly problems: ReadonlyArray<string>
}

/**
 * Finds the program of a path or a name, or this one where there is neither, and asks it what it reports of its build.
 * Throws where it does not run, or reports nothing. A script needs `searchPath`, the PATH, to find Node.
 */
export const findProgram = (name: string | undefined, searchPath = ''): Program => {
  const env = { PATH: [dirname(process.execPath), searchPath].join(delimiter) }
  const [, self = ''] = process.argv
  const file = name !== undefined && existsSync(name) ? resolve(name) : name
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
 * Runs the scenarios in a folder that holds `fixtures` and `golden` with a program, and tells which came out otherwise.
 * Scenarios that only run inside a process are left out. Several run at a time; none starts once `signal` has fired.
 */
export const checkProgram = async (
  root: string,
  program: Program,
  signal: AbortSignal,
): Promise<Checked> => {
  const chosen = readScenarios(root).filter(({ scenario }) => scenario.only !== 'in-process')
  const failed: FailedScenario[] = []
  const left = chosen.values()
  const runNext = async (): Promise<void> => {
    for (const named of left) {
      if (signal.aborted) return
      const found = await checkScenario(root, named, program)
      if (found !== undefined) failed.push(found)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, runNext))
  failed.sort((a, b) => (a.scenario < b.scenario ? -1 : 1))
  return { scenarios: chosen.length, passed: chosen.length - failed.length, failed }
}

const checkScenario = async (
  root: string,
  named: Named,
  program: Program,
): Promise<FailedScenario | undefined> => {
  const { name } = named
  try {
    const outcome = await runProgram(named, program)
    const differs = listDiffering(readGolden(root, name), toGolden(outcome))
    const { problems } = outcome
    return differs.length + problems.length === 0
      ? undefined
      : { scenario: name, differs, problems }
  } catch (error) {
    return { scenario: name, differs: [], problems: [reasonOf(error)] }
  }
}
