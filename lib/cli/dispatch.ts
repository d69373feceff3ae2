import { cac } from 'cac'
import type { Either } from 'fp-ts/Either'
import type { Failure } from '../failure/failure'
import type { AnyCommand, Context, Positional, Result } from './declaration'
import type { FlagSpec, Flags } from './flags'
import { globalFlags } from './globals'

/** How a command ended. */
export type Outcome = Either<Failure, Result>

/**
 * Runs the chosen command through cac. The instance is created anew, because cac keeps state between runs, and
 * holds only this command. cac's own parser, which retypes values and drops unknown flags, is not used: cac is
 * handed the results of ours.
 */
export const dispatch = async (chosen: AnyCommand, context: Context<Flags>): Promise<Outcome> => {
  const cli = cac('svc')
  for (const flag of globalFlags) cli.option(optionText(flag), flag.summary)
  const words = [chosen.name, ...(chosen.positionals ?? []).map(positionalText)]
  // Unknown flags have been refused already. cac's message would name them in camel case.
  const entry = cli.command(words.join(' '), chosen.summary, { allowUnknownOptions: true })
  for (const flag of chosen.flags) entry.option(optionText(flag), flag.summary)
  let outcome: Promise<Outcome> | undefined
  entry.action(() => {
    outcome = chosen.start(context)
  })
  cli.matchedCommand = entry
  cli.matchedCommandName = chosen.name
  cli.args = context.args
  cli.options = { ...context.globals, ...context.flags }
  cli.runMatchedCommand()
  if (outcome === undefined) throw new Error(`command "${chosen.name}" did not run`)
  return outcome
}

const optionText = (flag: FlagSpec): string => {
  const short = flag.short === undefined ? '' : `-${flag.short}, `
  const value = flag.type === 'bool' ? '' : ` <${flag.value ?? flag.type}>`
  return `${short}--${flag.name}${value}`
}

const positionalText = ({ name, required, many }: Positional): string => {
  const text = many ? `...${name}` : name
  return required ? `<${text}>` : `[${text}]`
}
