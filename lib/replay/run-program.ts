import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import type { Version } from '../runtime/build'
import { interruptedExitCode } from '../runtime/runtime'
import { converse } from './conversation'
import type { ProgramOutcome } from './golden'
import type { Signal } from './scenario'
import type { NamedScenario } from './scenarios'
import { startSocketService } from './socket-service'
import { layOutFolder } from './working-folder'

/** A program that scenarios are run with. */
export interface ScenarioProgram {
  /** The file to run, and the arguments that come before those of a scenario. */
  readonly command: readonly [file: string, ...args: ReadonlyArray<string>]
  /** Variables that are set besides those of a scenario. */
  readonly env: Readonly<Record<string, string>>
  /** The output of its command `version`. */
  readonly version: Version
}

/** A program that runs longer is killed, in milliseconds. */
const timeout = 100_000

/** Runs a scenario as a child process against a service on this machine. Rejects if the program cannot start. */
export const runProgram = async (
  named: NamedScenario,
  program: ScenarioProgram,
): Promise<ProgramOutcome> => {
  const [file, ...args] = program.command
  let interrupt = (_: Signal): void => undefined
  const { version } = program
  const service = await startSocketService(named, version.version, (signal) => interrupt(signal))
  const folder = await layOutFolder(named, service.baseUrl, version)
  try {
    const child = spawn(file, [...args, ...folder.argv], {
      cwd: folder.cwd,
      env: { ...program.env, ...folder.env },
      timeout,
      killSignal: 'SIGKILL',
    })
    interrupt = (signal) => child.kill(signal)
    // The program may end without reading its input to the end.
    child.stdin.on('error', () => undefined)
    const ended = new Promise<number>((resolve, reject) => {
      child.on('error', reject)
      // Node ends an interrupted program by SIGINT, not with an exit code, if one of its threads is still busy.
      child.on('close', (code, signal) =>
        resolve(code ?? (signal === 'SIGINT' ? interruptedExitCode : -1)),
      )
    })
    const stderr = text(child.stderr)
    const { redact } = folder
    const hasConversation = named.scenario.conversation !== undefined
    if (!hasConversation) child.stdin.end(folder.stdin)
    const speaking = hasConversation
      ? converse(named, child.stdin, child.stdout, redact)
      : text(child.stdout).then((stdout) => ({ remaining: redact(stdout), problems: [] }))
    const [exit, spoken] = await Promise.all([ended, speaking])
    return {
      stdout: spoken.remaining,
      stderr: redact(await stderr),
      exit,
      files: folder.listWritten(),
      problems: [...(await service.close()), ...spoken.problems],
      ...('turns' in spoken && { turns: spoken.turns }),
    }
  } finally {
    await service.close()
    folder.remove()
  }
}
