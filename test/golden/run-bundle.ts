import { start } from '../support/program'
import type { Outcome } from './golden-files'
import type { Named } from './scenario'
import { socketService } from './socket-service'
import { workingFolder } from './working-folder'

/** Runs a scenario through the built program, as a child process against a real socket. */
export const runBundle = async (named: Named): Promise<Outcome> => {
  let interrupt = (_: 'SIGINT' | 'SIGTERM'): void => undefined
  const service = await socketService(named, (signal) => interrupt(signal))
  const { argv, cwd, env, stdin, redact, written, clear } = workingFolder(named, service.baseUrl)
  const { child, ended } = start(argv, { cwd, env })
  interrupt = (signal) => child.kill(signal)
  child.stdin?.end(stdin)
  const { stdout, stderr, code } = await ended
  const problems = await service.close()
  const files = written()
  clear()
  return { stdout: redact(stdout), stderr: redact(stderr), exit: code ?? -1, files, problems }
}
