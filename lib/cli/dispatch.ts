import { cac } from 'cac'
import type { Either } from 'fp-ts/Either'
import type { Failure } from '../failure/failure'
import {
  type AnyCommand,
  type CommandResult,
  type Context,
  type Positional,
  positionalsOf,
} from './declaration'
import type { FlagSpec, Flags } from './flags'
import { globalFlags } from './globals'

/** How a command ended. */
export type CommandOutcome = Either<Failure, CommandResult>

/**
 * Runs the chosen command through cac, which is given all commands. The instance is created anew, because cac keeps
 * state between runs. cac's own parser, which retypes values and drops unknown flags, is not used: cac receives the
 * command, the arguments and the flags that our grammar found. Only the chosen command has its flags declared: those
 * of all 20 would take cac 2 ms.
 */
export const dispatch = async (
  chosen: AnyCommand,
  context: Context<Flags>,
): Promise<CommandOutcome> => {
  const cli = cac('svc')
  for (const flag of globalFlags) cli.option(writeOption(flag), flag.summary)
  let outcome: Promise<CommandOutcome> | undefined
  for (const command of context.commands) {
    const words = [command.name, ...positionalsOf(command).map(writePositional)]
    // cac's check of unknown flags would name them in camel case. Our grammar has refused them already.
    const entry = cli.command(words.join(' '), command.summary, { allowUnknownOptions: true })
    if (command === chosen)
      for (const flag of command.flags) entry.option(writeOption(flag), flag.summary)
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

const writeOption = (flag: FlagSpec): string => {
  const short = flag.short === undefined ? '' : `-${flag.short}, `
  const value = flag.type === 'bool' ? '' : ` <${flag.value ?? flag.type}>`
  return `${short}--${flag.name}${value}`
}

const writePositional = ({ name, required, many }: Positional): string => {
  const text = many ? `...${name}` : name
  return required ? `<${text}>` : `[${text}]`
}
