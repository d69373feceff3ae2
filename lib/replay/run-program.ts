import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { confinementVariable } from '../runtime/build'
import { interruptedExitCode } from '../runtime/runtime'
import { startChild } from './child'
import { converse } from './conversation'
import type { Signal } from './decode-scenario'
import type { ProgramOutcome } from './golden'
import type { ScenarioProgram } from './program'
import type { NamedScenario } from './scenarios'
import { startSocketService } from './socket-service'
import { prepareWorkingFolder, type Replacements, type WorkingFolder } from './working-folder'

/** The program is killed if it runs longer. */
const programTimeoutMs = 100_000

interface RunOptions {
  /** Kills the program when it fires. */
  readonly signal: AbortSignal
  /** The files that replace those of the scenario. */
  readonly replacements?: Replacements
}

/**
 * Runs a scenario as a child process against a service on this machine. A program that is this svc connects only to that service, and
 * reads and writes only files in its working folder. Rejects if the program cannot start.
 */
export const runProgram = async (
  namedScenario: NamedScenario,
  program: ScenarioProgram,
  { signal, replacements }: RunOptions,
): Promise<ProgramOutcome> => {
  // The service starts before the program, which needs its address. Until then there is no program to interrupt.
  let interrupt = (_: Signal): void => undefined
  const { version } = program
  const service = await startSocketService(namedScenario, version.version, (name) =>
    interrupt(name),
  )
  let folder: WorkingFolder | undefined
  try {
    folder = await prepareWorkingFolder(namedScenario, service.baseUrl, version, replacements)
    const child = startProgram(program, folder, service.baseUrl, signal)
    interrupt = (name) => child.kill(name)
    const [exit, stderr, { stdout, problems, turns }] = await Promise.all([
      waitForExit(child),
      text(child.stderr),
      exchangeStreams(namedScenario, child, folder),
    ])
    return {
      stdout,
      stderr: folder.redact(stderr),
      exit,
      files: folder.readWritten(),
      // The `finally` below closes the service again, which does no harm.
      problems: [...(await service.close()), ...problems],
      turns,
    }
  } finally {
    await service.close()
    folder?.remove()
  }
}

const startProgram = (
  { command, env }: ScenarioProgram,
  folder: WorkingFolder,
  baseUrl: string,
  signal: AbortSignal,
): ChildProcessWithoutNullStreams =>
  startChild({
    command,
    args: folder.argv,
    cwd: folder.cwd,
    env: { ...env, ...folder.env, [confinementVariable]: new URL(baseUrl).port },
    signal,
    timeoutMs: programTimeoutMs,
  })

/** Resolves with the exit code; -1 if a signal other than SIGINT ended the program. Rejects if it cannot start. */
const waitForExit = (child: ChildProcessWithoutNullStreams): Promise<number> =>
  new Promise((resolve, reject) => {
    child.on('error', reject)
    // Node ends an interrupted program by SIGINT, not with an exit code, if one of its threads is still busy.
    child.on('close', (code, signal) =>
      resolve(code ?? (signal === 'SIGINT' ? interruptedExitCode : -1)),
    )
  })

/** Writes the input of a scenario and reads the output. If the scenario is a conversation, plays it step by step instead. */
const exchangeStreams = async (
  namedScenario: NamedScenario,
  child: ChildProcessWithoutNullStreams,
  { stdin, redact }: WorkingFolder,
): Promise<Pick<ProgramOutcome, 'stdout' | 'problems' | 'turns'>> => {
  if (namedScenario.scenario.conversation !== undefined)
    return converse(namedScenario, child.stdin, child.stdout, redact)
  child.stdin.end(stdin)
  return { stdout: redact(await text(child.stdout)), problems: [] }
}
