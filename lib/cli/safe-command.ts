import { describePathFault } from '../replay/scenario-paths'
import { stripWorkingFolder } from '../replay/scenario-variables'
import { type NamedScenario, parseArguments } from '../replay/scenarios'
import type { AnyCommand } from './declaration'
import { listPathArguments } from './path-arguments'

/** The commands that a scenario must not run: they run programs, listen on a port, or wait for a person. */
const refusedCommands = ['fixtures', 'serve', 'label']

/**
 * Describes why `svc fixtures --check` must not run the command of a scenario; `undefined` if it may. A stranger may have written the
 * scenario, so its command must read and write only files in its working folder.
 */
export const describeUnsafeCommand = (
  { scenario }: Pick<NamedScenario, 'scenario'>,
  commands: ReadonlyArray<AnyCommand>,
): string | undefined => {
  const { command, paths, unparsed } = listPathArguments(parseArguments(scenario), commands)
  if (command !== undefined && refusedCommands.includes(command.name))
    return `svc fixtures --check does not run "svc ${command.name}"`
  for (const { name, path } of paths) {
    const fault = describePathFault(stripWorkingFolder(path))
    if (fault !== undefined) return `command: ${name} ${fault}: ${JSON.stringify(path)}`
  }
  // Another version of svc may know these arguments.
  const unsafe = unparsed.find((arg) => listPossiblePaths(arg).some(leadsOut))
  return unsafe === undefined
    ? undefined
    : `command: ${JSON.stringify(unsafe)} may be a path outside the working folder`
}

/** Lists the paths that an argument may contain: `/a`, `--file=/a`, `-f/a`, each also behind an `@`. */
const listPossiblePaths = (arg: string): ReadonlyArray<string> => {
  const values = [arg, arg.slice(arg.indexOf('=') + 1), arg.replace(/^-+[A-Za-z]*/, '')]
  return values.map((value) => value.replace(/^@/, '')).filter((value) => value !== '')
}

const leadsOut = (path: string): boolean =>
  describePathFault(stripWorkingFolder(path)) !== undefined
