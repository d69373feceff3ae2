import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path/posix'
import { reasonOf } from '../runtime/node/error-reason'
import {
  describeLineDifference,
  formatGolden,
  type LineDifference,
  listDiffering,
  readGolden,
  writeGolden,
} from './golden'
import { LinkError } from './link-free-files'
import type { ScenarioProgram } from './program'
import { runProgram } from './run-program'
import { readCheckedScenarios } from './scenario-faults'
import { listFiles, listInputFiles, type NamedScenario, readExchanges } from './scenarios'
import type { Replacements } from './working-folder'

/**
 * The result of running scenarios with a program, and comparing their outcomes with their goldens. A golden is the output that a
 * scenario must have. This and `FailedScenario` are a `type`, because svc encodes them as JSON, and TypeScript does not accept an
 * interface there.
 */
export type CheckResult = {
  /** The number of scenarios that were checked: those that passed and those that failed. */
  readonly scenarios: number
  readonly passed: number
  /** The number of recordings of other programs: scenarios without a command. They do not run. */
  readonly recordings: number
  readonly failed: ReadonlyArray<FailedScenario>
}

/** A scenario that failed or is invalid, or a golden without a scenario. */
export type FailedScenario = {
  readonly scenario: string
  /** The golden files that differ: `stdout`, `stderr`, `exit`, `files/...`. */
  readonly differs: ReadonlyArray<string>
  /** The first line that differs in each of these files. */
  readonly differences: ReadonlyArray<LineDifference>
  /** The differences of requests, or why the scenario is invalid or could not run. */
  readonly problems: ReadonlyArray<string>
}

/** A result, and the names of the scenarios that passed. */
export interface CheckOutcome {
  readonly result: CheckResult
  readonly passedScenarios: ReadonlyArray<string>
}

export interface CheckOptions {
  /**
   * Ends the programs that run when it fires, and starts no further ones. The result is then meaningless: scenarios that did not run count
   * as passed.
   */
  readonly signal: AbortSignal
  /** `true` if the outcome of each scenario is written as its golden, unless a request differed. */
  readonly update?: boolean | undefined
  /** The files that replace those of the scenarios, by name. */
  readonly replacements?: Replacements
  /** Describes why a command must not run; `undefined` if it may. Scenarios may come from strangers. */
  readonly describeUnsafeCommand?: (scenario: NamedScenario) => string | undefined
}

/**
 * Runs the scenarios below `<root>/fixtures`, as many at a time as there are processors, and compares the outcomes with
 * `<root>/golden`. Leaves out scenarios with `"only": "in-process"`, which a child process cannot repeat, and those without a
 * command. Rejects if there is nothing to check, if no scenario has a file that `replacements` replaces, and with a `LinkError` if a
 * golden to write is behind a link.
 */
export const checkProgram = async (
  root: string,
  program: ScenarioProgram,
  options: CheckOptions,
): Promise<CheckOutcome> => {
  const { scenarios, invalid } = readCheckedScenarios(root)
  const recordings = scenarios.filter(({ scenario }) => scenario.command === undefined)
  const runnable = scenarios.filter(
    ({ scenario }) => scenario.only !== 'in-process' && scenario.command !== undefined,
  )
  const failed = [
    ...invalid.map(({ name, faults }) => createFailure(name, faults)),
    ...(await listInvalidRecordings(recordings)),
    ...listStrayGoldens(root, scenarios, invalid),
  ]
  if (runnable.length + recordings.length + failed.length === 0)
    throw new Error(`no scenario in ${join(root, 'fixtures')}`)
  checkReplacements(runnable, options.replacements)
  const passedScenarios: Array<string> = []
  const check = async (namedScenario: NamedScenario, signal: AbortSignal): Promise<void> => {
    const failure = await checkScenario(root, namedScenario, program, { ...options, signal })
    if (failure === undefined) passedScenarios.push(namedScenario.name)
    else failed.push(failure)
  }
  await runConcurrently(runnable, options.signal, check)
  failed.sort((a, b) => (a.scenario < b.scenario ? -1 : 1))
  passedScenarios.sort()
  const result = {
    scenarios: passedScenarios.length + failed.length,
    passed: passedScenarios.length,
    recordings: recordings.length,
    failed,
  }
  return { result, passedScenarios }
}

/**
 * Does the work for each scenario, as many at a time as there are processors. If one rejects, the signal of the others fires. This
 * rejects when all have ended, with the first reason.
 */
const runConcurrently = async (
  scenarios: ReadonlyArray<NamedScenario>,
  interrupt: AbortSignal,
  work: (scenario: NamedScenario, signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const failure = new AbortController()
  const signal = AbortSignal.any([interrupt, failure.signal])
  // All workers take their scenarios from this iterator.
  const queue = scenarios.values()
  const runWorker = async (): Promise<void> => {
    for (const scenario of queue) {
      if (signal.aborted) return
      await work(scenario, signal)
    }
  }
  const workers = Array.from({ length: availableParallelism() }, async () => {
    try {
      await runWorker()
    } catch (error) {
      failure.abort()
      throw error
    }
  })
  for (const worker of await Promise.allSettled(workers))
    if (worker.status === 'rejected') throw worker.reason
}

const createFailure = (scenario: string, problems: ReadonlyArray<string>): FailedScenario => ({
  scenario,
  differs: [],
  differences: [],
  problems,
})

/** Runs a scenario and compares its outcome with its golden, or replaces the golden. Resolves with `undefined` if it passed. */
const checkScenario = async (
  root: string,
  namedScenario: NamedScenario,
  program: ScenarioProgram,
  { update, signal, replacements, describeUnsafeCommand }: CheckOptions,
): Promise<FailedScenario | undefined> => {
  const { name } = namedScenario
  try {
    const unsafe = describeUnsafeCommand?.(namedScenario)
    if (unsafe !== undefined) return createFailure(name, [unsafe])
    if (!update && !existsSync(join(root, 'golden', name)))
      return createFailure(name, ['it has no golden: run with --update'])
    const outcome = await runProgram(namedScenario, program, {
      signal,
      ...(replacements && { replacements }),
    })
    // The outcome of a program that was killed says nothing.
    if (signal.aborted) return undefined
    const { problems } = outcome
    const received = formatGolden(outcome)
    if (update && problems.length === 0) {
      writeGolden(root, name, received)
      return undefined
    }
    const expected = readGolden(root, name)
    const differs = listDiffering(expected, received)
    if (differs.length + problems.length === 0) return undefined
    const differences = differs.map((file) =>
      describeLineDifference(file, expected[file], received[file]),
    )
    return { scenario: name, differs, differences, problems }
  } catch (error) {
    // Nothing more may be written if a link leads elsewhere.
    if (update && error instanceof LinkError) throw error
    return createFailure(name, [reasonOf(error)])
  }
}

/** Lists the recordings whose bodies cannot be read, for example because a link leads out of the folder. */
const listInvalidRecordings = async (
  recordings: ReadonlyArray<NamedScenario>,
): Promise<ReadonlyArray<FailedScenario>> => {
  const failures: Array<FailedScenario> = []
  for (const recording of recordings)
    try {
      await readExchanges(recording)
    } catch (error) {
      failures.push(createFailure(recording.name, [reasonOf(error)]))
    }
  return failures
}

/** Lists the goldens without a scenario, and those of a scenario without a command. */
const listStrayGoldens = (
  root: string,
  scenarios: ReadonlyArray<NamedScenario>,
  invalid: ReadonlyArray<{ readonly name: string }>,
): ReadonlyArray<FailedScenario> => {
  const commands = new Map(scenarios.map(({ name, scenario }) => [name, scenario.command]))
  const invalidNames = new Set(invalid.map(({ name }) => name))
  const goldens = new Set(listFiles(join(root, 'golden')).map(findGoldenName))
  return [...goldens].flatMap((name) => {
    if (invalidNames.has(name) || commands.get(name) !== undefined) return []
    const problem = commands.has(name)
      ? 'a golden beside a scenario without a command'
      : 'a golden without a scenario'
    return [createFailure(name, [problem])]
  })
}

/** Returns the name of the scenario that a golden file belongs to: `ask/ticket` for `ask/ticket/files/a.txt`. */
const findGoldenName = (file: string): string =>
  file.replace(/\/(?:stdout|stderr|exit|files\/.*)$/, '')

/** Throws if no scenario has a file of a name that is replaced. */
const checkReplacements = (
  scenarios: ReadonlyArray<NamedScenario>,
  replacements: Replacements = new Map(),
): void => {
  if (replacements.size === 0) return
  const names = new Set<string>()
  for (const { folder, scenario } of scenarios)
    for (const path of [...listInputFiles(folder), ...Object.keys(scenario.files ?? {})])
      names.add(basename(path))
  for (const name of replacements.keys())
    if (!names.has(name)) throw new Error(`no scenario has a file ${name}, which --with replaces`)
}
