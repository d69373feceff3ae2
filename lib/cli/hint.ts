import type { ApiError, Failure, UsageFailure } from '../failure/failure'
import type { Runtime } from '../runtime/runtime'
import { sanitize } from '../text/sanitize'
import type { ResultHint } from './command-result'

/** The facts about a run, besides its outcome, that hints depend on. */
export interface HintContext {
  /** The name of the command; `undefined` for the bare `svc`. */
  readonly command: string | undefined
  /** The arguments after the program's name, which a hint may repeat. */
  readonly argv: ReadonlyArray<string>
  /** The values of the flags on the command line, by name. Flags that were not passed are absent. */
  readonly passed: ReadonlyMap<string, unknown>
  /** The provider that calls go to, if the user named one. */
  readonly provider?: string | undefined
  /** `true` if stdin is not a terminal. */
  readonly isPiped?: boolean
  /** A sentence for each key of a provider that is set, but not used: `OPENAI_API_KEY is set: --provider openai would use it`. */
  readonly otherKeys?: ReadonlyArray<string>
  /** Advice on a server on this machine that does not know the path of questions. */
  readonly missingRoute?: string | undefined
}

/** The host and port on which `svc serve` listens by default. */
const defaultServeHost = '127.0.0.1:8787'

const doctorAdvice = 'to see where calls go, and with which key: svc doctor --table'

/** Returns `true` if a person may read hints: stderr is a terminal that can erase lines, outside a CI system. */
export const canHint = ({ stderr, env }: Pick<Runtime, 'stderr' | 'env'>): boolean =>
  !env.CI && env.TERM !== 'dumb' && stderr.isTTY

/** Advises in one line what to do about a failure, with a command to paste; `undefined` if there is no advice. */
export const adviseOnFailure = (failure: Failure, context: HintContext): string | undefined => {
  switch (failure._tag) {
    case 'Usage':
      return adviseOnUsage(failure, context)
    case 'CommandLine':
      // The message names the help of `svc`; this is the help of the command.
      return context.command === undefined ? undefined : `svc help ${context.command}`
    case 'Connection':
      return failure.host === defaultServeHost && failure.cause === 'connection refused'
        ? 'ask without a service: --provider embedded; or start one on this machine: svc serve &'
        : doctorAdvice
    case 'ApiError':
      return adviseOnStatus(failure, context)
    default:
      return undefined
  }
}

const adviseOnStatus = (
  { status, message, page }: ApiError,
  { provider, missingRoute }: HintContext,
): string | undefined => {
  if (status === 407) return 'the proxy wants credentials: put user:password into HTTP_PROXY'
  if (status === 404 && /model/i.test(message))
    return `to see which models there are: svc models${provider ? ` --provider ${provider}` : ''}`
  if (missingRoute !== undefined) return missingRoute
  if (page !== undefined) return `a web page answered, not the service: ${page}`
  // 401 to 404: the key, the account or the address may be wrong.
  return status >= 401 && status <= 404 ? doctorAdvice : undefined
}

const adviseOnUsage = ({ about }: UsageFailure, context: HintContext): string | undefined => {
  const { command, isPiped, otherKeys = [] } = context
  const input = context.passed.get('input')
  const helpAdvice = command === undefined ? 'svc help' : `svc help ${command}`
  switch (about) {
    case 'request':
      // The message itself says what to correct.
      return undefined
    case 'key':
      if (otherKeys[0] !== undefined) return otherKeys[0]
      return context.passed.has('base-url')
        ? 'pass the key of this address by --api-key'
        : 'export SERVICE_API_KEY=<key>, or name a service with --provider (svc help providers); to try svc without a key: --provider embedded'
    case 'key of provider':
      return (
        otherKeys[0] ??
        'to see which variable takes the key of which service: svc help providers; to try svc without a key: --provider embedded'
      )
    case 'column':
      return typeof input === 'string' && input !== '-'
        ? `to see its columns: head -n 1 ${quoteForShell(input)}`
        : 'a name must be written as in the header'
    case 'policy':
      return 'to make a policy of these questions: svc calibrate -i <run> -o <policy>'
    case 'state':
      return isPiped ? 'to ask about what is piped in: --state -' : helpAdvice
    case undefined:
      return helpAdvice
  }
}

/** The maximum length of a command that a hint repeats, in characters. */
const maxCommandLength = 1000

/** Formats a hint about a result in one line. */
export const adviseOnResult = (hint: ResultHint, { argv, passed }: HintContext): string => {
  switch (hint.about) {
    case 'resume': {
      const resumeFlag = passed.has('resume') ? [] : ['--resume']
      const command = ['svc', ...argv, ...resumeFlag].map(quoteForShell).join(' ')
      const shown = command.length > maxCommandLength ? 'the same command with --resume' : command
      return `${hint.output} has ${hint.rows} row${hint.rows === 1 ? '' : 's'}; to continue: ${shown}`
    }
    case 'one label':
      return `one label, "${hint.label}": labels follow the last colon`
  }
}

/** Quotes a word for a POSIX shell, if it needs quotes. */
export const quoteForShell = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Formats the line of a hint. Control characters are escaped. */
export const formatHint = (hint: string): string => `hint: ${sanitize(hint)}\n`
