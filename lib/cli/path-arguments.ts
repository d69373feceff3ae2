import { type AnyCommand, flagsOf, positionalAt } from './declaration'
import type { FlagSpec, Flags } from './flags'
import { globalFlags } from './globals'
import { findCommand } from './registry'
import { type ArgumentToken, groupArguments } from './tokens'

/** A path on a command line, as its flag or argument is declared. */
export interface PathArgument {
  /** The flag, such as `--file`, or the name of the argument. */
  readonly name: string
  readonly path: string
}

/** The paths on a command line. */
export interface PathArguments {
  /** The command; `undefined` for the bare `svc`, and for an unknown command. */
  readonly command: AnyCommand | undefined
  readonly paths: ReadonlyArray<PathArgument>
  /** The arguments that cannot be parsed, and those after them, which may then have another meaning. */
  readonly unparsed: ReadonlyArray<string>
}

/** Lists the paths on a command line. The declarations of the commands say which flags and arguments are paths. */
export const listPathArguments = (
  argv: ReadonlyArray<string>,
  commands: ReadonlyArray<AnyCommand>,
): PathArguments => {
  const paths: Array<PathArgument> = []
  const { command, unparsed } = walkPaths(argv, commands, (argument) => {
    paths.push(argument)
    return argument.path
  })
  return { command, paths, unparsed }
}

/** Returns the arguments with each path replaced by the one that `mapPath` returns. Everything else stays as typed. */
export const mapPathArguments = (
  argv: ReadonlyArray<string>,
  commands: ReadonlyArray<AnyCommand>,
  mapPath: (path: string) => string,
): ReadonlyArray<string> => walkPaths(argv, commands, ({ path }) => mapPath(path)).argv

const walkPaths = (
  argv: ReadonlyArray<string>,
  commands: ReadonlyArray<AnyCommand>,
  mapPath: (argument: PathArgument) => string,
) => {
  const { command, remaining } = findCommand(argv, commands)
  const flags: Flags = [...globalFlags, ...flagsOf(command)]
  // The first words are the name of the command.
  let wordIndex = remaining.length - argv.length
  let hasFault = false
  const mapped: Array<string> = []
  const unparsed: Array<string> = []
  for (const { args, tokens } of groupArguments(argv, flags)) {
    hasFault ||= tokens.some(({ _tag }) => _tag === 'Fault')
    if (hasFault) unparsed.push(...args)
    const words = tokens.filter(({ _tag }) => _tag === 'Word').length
    const [last] = tokens.slice(-1)
    if (words === 0) mapped.push(...mapFlagArguments(args, last, mapPath))
    else {
      // `--` and the words after it are one group.
      const literals = args.slice(0, args.length - words)
      mapped.push(...literals)
      for (const word of args.slice(literals.length)) {
        mapped.push(mapWord(word, command, wordIndex, mapPath))
        wordIndex++
      }
    }
  }
  return { command, argv: mapped, unparsed }
}

/** Replaces the path at the end of the arguments of one flag: `--file path`, `--file=path`, `-rfpath`, `--state @path`. */
const mapFlagArguments = (
  args: ReadonlyArray<string>,
  token: ArgumentToken | undefined,
  mapPath: (argument: PathArgument) => string,
): ReadonlyArray<string> => {
  if (token?._tag !== 'Flag') return args
  const path = findPath(token.flag, token.text)
  if (path === undefined || path === '') return args
  const lastArg = args.at(-1) ?? ''
  const start = lastArg.slice(0, lastArg.length - path.length)
  return [...args.slice(0, -1), start + mapPath({ name: `--${token.flag.name}`, path })]
}

/** Returns the path in the value of a flag; `undefined` if the value is no path. */
const findPath = (flag: FlagSpec, text: string): string | undefined => {
  if (flag.isFile || flag.isFolder) return text
  return flag.takesAtFile && text.startsWith('@') ? text.slice(1) : undefined
}

const mapWord = (
  word: string,
  command: AnyCommand | undefined,
  index: number,
  mapPath: (argument: PathArgument) => string,
): string => {
  const positional = index < 0 ? undefined : positionalAt(command, index)
  const isPath = positional?.isFile || positional?.flag?.isFolder
  return positional !== undefined && isPath && word !== ''
    ? mapPath({ name: positional.name, path: word })
    : word
}
