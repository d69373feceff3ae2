import { start } from '../support/program'
import { converse } from './conversation'
import type { Outcome } from './golden-files'
import type { Named } from './scenario'
import { socketService } from './socket-service'
import { workingFolder } from './working-folder'

/** Runs a scenario through the built program, as a child process against a real socket. */
export const runBundle = async (named: Named): Promise<Outcome> => {
  let interrupt = (_: 'SIGINT' | 'SIGTERM'): void => undefined
  const service = await socketService(named, (signal) => interrupt(signal))
  const { argv, cwd, env, stdin, redact, written, clear } = await workingFolder(
    named,
    service.baseUrl,
  )
  const { child, ended } = start(argv, { cwd, env })
  interrupt = (signal) => child.kill(signal)
  const spoken =
    named.scenario.conversation !== undefined && child.stdin && child.stdout
      ? await converse(named, child.stdin, child.stdout, redact)
      : undefined
  if (spoken === undefined) child.stdin?.end(stdin)
  const { stdout, stderr, code, signal } = await ended
  const problems = [...(await service.close()), ...(spoken?.problems ?? [])]
  const files = written()
  clear()
  return {
    stdout: spoken?.rest ?? redact(stdout),
    stderr: redact(stderr),
    // An interrupted program ends by SIGINT where a thread of Node is still busy, as on a full machine: 130 to a shell.
    exit: code ?? (signal === 'SIGINT' ? 130 : -1),
    ...{ files, problems, turns: spoken?.turns },
  }
}
