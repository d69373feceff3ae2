import { cac } from 'cac'
import type { Either } from 'fp-ts/Either'
import type { Failure } from '../failure/failure'
import type { CommandResult } from './command-result'
import { type AnyCommand, type Context, listPositionals, type Positional } from './declaration'
import type { FlagSpec, Flags } from './flags'
import { globalFlags } from './globals'

/** The result of a command, or the failure that ended it. */
export type CommandOutcome = Either<Failure, CommandResult>

/**
 * Runs a command through cac. cac's own parser is bypassed, because it retypes values and drops unknown flags: cac gets
 * the command, arguments and flags that svc has parsed. Each run has a new cac instance, because cac keeps state between
 * runs. Only the chosen command declares its flags to cac: the flags of all 20 commands would take cac 2 ms.
 */
export const dispatch = async (
  chosen: AnyCommand,
  context: Context<Flags>,
): Promise<CommandOutcome> => {
  const cli = cac('svc')
  for (const flag of globalFlags) cli.option(formatCacOption(flag), flag.summary)
  let outcome: Promise<CommandOutcome> | undefined
  for (const command of context.commands) {
    const words = [command.name, ...listPositionals(command).map(formatCacArgument)]
    // cac would check for unknown flags by their camelCase names. The parser of svc has refused unknown flags before.
    const entry = cli.command(words.join(' '), command.summary, { allowUnknownOptions: true })
    if (command === chosen)
      for (const flag of command.flags) entry.option(formatCacOption(flag), flag.summary)
    entry.action(() => {
      outcome = command.start(context)
    })
  }
  cli.matchedCommand = cli.commands.find(({ name }) => name === chosen.name)
  cli.matchedCommandName = chosen.name
  cli.args = context.args
  cli.options = { ...context.globals, ...context.flags }
  cli.runMatchedCommand()
  if (outcome === undefined) throw new Error(`command "${chosen.name}" did not run`)
  return outcome
}

const formatCacOption = (flag: FlagSpec): string => {
  const short = flag.short === undefined ? '' : `-${flag.short}, `
  const value = flag.type === 'bool' ? '' : ` <${flag.placeholder ?? flag.type}>`
  return `${short}--${flag.name}${value}`
}

const formatCacArgument = ({ name, required, takesRemaining }: Positional): string => {
  const text = takesRemaining ? `...${name}` : name
  return required ? `<${text}>` : `[${text}]`
}
