import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import type { Version } from '../runtime/build'
import { interruptedExitCode } from '../runtime/runtime'
import { converse } from './conversation'
import type { Signal } from './decode-scenario'
import type { ProgramOutcome } from './golden'
import type { NamedScenario } from './scenarios'
import { startSocketService } from './socket-service'
import { prepareWorkingFolder, type WorkingFolder } from './working-folder'

/** A program that scenarios are run with. */
export interface ScenarioProgram {
  /** The file to run, and the arguments that come before those of a scenario. */
  readonly command: readonly [file: string, ...args: ReadonlyArray<string>]
  /** Environment variables that are set in addition to those of a scenario. */
  readonly env: Readonly<Record<string, string>>
  /** The output of its command `version`. */
  readonly version: Version
}

/** The program is killed if it runs longer. */
const programTimeoutMs = 100_000

/** Runs a scenario as a child process against a service on this machine. Rejects if the program cannot start. */
export const runProgram = async (
  namedScenario: NamedScenario,
  program: ScenarioProgram,
): Promise<ProgramOutcome> => {
  // The service starts before the program, which needs its address. Until then there is no program to interrupt.
  let interrupt = (_: Signal): void => undefined
  const { version } = program
  const service = await startSocketService(namedScenario, version.version, (signal) =>
    interrupt(signal),
  )
  const folder = await prepareWorkingFolder(namedScenario, service.baseUrl, version)
  try {
    const child = startProgram(program, folder)
    interrupt = (signal) => child.kill(signal)
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
    folder.remove()
  }
}

const startProgram = (
  { command, env }: ScenarioProgram,
  folder: WorkingFolder,
): ChildProcessWithoutNullStreams => {
  const [file, ...args] = command
  const child = spawn(file, [...args, ...folder.argv], {
    cwd: folder.cwd,
    env: { ...env, ...folder.env },
    timeout: programTimeoutMs,
    killSignal: 'SIGKILL',
  })
  // The program may end without reading its input to the end.
  child.stdin.on('error', () => undefined)
  return child
}

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
