import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import type { Version } from '../runtime/build'
import { interruptedExit } from '../runtime/runtime'
import { converse } from './conversation'
import type { ProgramOutcome } from './golden'
import type { Signal } from './scenario'
import type { NamedScenario } from './scenarios'
import { startSocketService } from './socket-service'
import { layOutFolder } from './working-folder'

/** A program that scenarios are run with. */
export interface Program {
  /** The file to run, and the arguments that come before those of a scenario. */
  readonly command: readonly [file: string, ...args: ReadonlyArray<string>]
  /** What is set beside the environment of a scenario. */
  readonly env: Readonly<Record<string, string>>
  /** What it reports of its build. */
  readonly version: Version
}

/** A run that goes on for longer is killed, in milliseconds. */
const timeout = 100_000

/** Runs a scenario as a child process against a service on a socket of this machine. Rejects where it cannot start. */
export const runProgram = async (
  named: NamedScenario,
  program: Program,
): Promise<ProgramOutcome> => {
  const [file, ...args] = program.command
  let interrupt = (_: Signal): void => undefined
  const { version } = program
  const service = await startSocketService(named, version.version, (signal) => interrupt(signal))
  const folder = await layOutFolder(named, service.baseUrl, version)
  try {
    const child = spawn(file, [...args, ...folder.argv], {
      ...{ cwd: folder.cwd, timeout, killSignal: 'SIGKILL' },
      env: { ...program.env, ...folder.env },
    })
    interrupt = (signal) => child.kill(signal)
    // The program may end without reading its input to the end.
    child.stdin.on('error', () => undefined)
    const ended = new Promise<number>((resolve, reject) => {
      child.on('error', reject)
      // An interrupted program ends by SIGINT where a thread of Node is still busy, as on a full machine.
      child.on('close', (code, signal) =>
        resolve(code ?? (signal === 'SIGINT' ? interruptedExit : -1)),
      )
    })
    const stderr = text(child.stderr)
    const isTalk = named.scenario.conversation !== undefined
    if (!isTalk) child.stdin.end(folder.stdin)
    const talking = isTalk
      ? converse(named, child.stdin, child.stdout, folder.redact)
      : text(child.stdout).then((said) => ({
          rest: folder.redact(said),
          problems: [],
          turns: undefined,
        }))
    const [exit, { rest, problems, turns }] = await Promise.all([ended, talking])
    return {
      ...{ stdout: rest, exit, turns, files: folder.listWritten() },
      stderr: folder.redact(await stderr),
      problems: [...(await service.close()), ...problems],
    }
  } finally {
    await service.close()
    folder.remove()
  }
}
