import type { ApiError, Failure, UsageFailure } from '../failure/failure'
import { sanitize } from '../failure/text/harmless'
import type { Runtime } from '../runtime/runtime'
import type { ResultHint } from './declaration'

/** What hints are made from besides the outcome. */
export interface HintContext {
  /** The name of the command; `undefined` for the bare `svc`. */
  readonly command: string | undefined
  /** The command line, to be repeated. */
  readonly argv: ReadonlyArray<string>
  /** The values of the flags on the command line, by name. */
  readonly passed: ReadonlyMap<string, unknown>
  /** The provider that calls go to, if one is named. */
  readonly provider?: string | undefined
  /** Whether something is piped to stdin. */
  readonly isPiped?: boolean
}

/** Whether somebody is there to read hints: on a terminal, and not in a CI system. */
export const canHint = ({ stderr, env }: Pick<Runtime, 'stderr' | 'env'>): boolean =>
  !env.CI && env.TERM !== 'dumb' && stderr.isTTY

/** Tells in one line what a person can do about a failure, with a command to paste; `undefined` for nothing. */
export const adviseOnFailure = (failure: Failure, context: HintContext): string | undefined => {
  switch (failure._tag) {
    case 'Usage':
      return adviseOnUsage(failure, context)
    case 'Connection':
      return failure.host === defaultHost && failure.cause === 'connection refused'
        ? 'start a service on this machine: svc serve &'
        : whereCallsGo
    case 'ApiError':
      return adviseOnStatus(failure, context)
    default:
      return undefined
  }
}

const adviseOnStatus = (
  { status, message }: ApiError,
  { provider }: HintContext,
): string | undefined => {
  if (status === 407) return 'the proxy wants credentials: put user:password into HTTP_PROXY'
  if (status === 404 && /model/i.test(message))
    return `to see which models there are: svc models${provider ? ` --provider ${provider}` : ''}`
  return status >= 401 && status <= 404 ? whereCallsGo : undefined
}

const whereCallsGo = 'to see where calls go, and with which key: svc doctor --table'

const defaultHost = '127.0.0.1:8787'

const adviseOnUsage = ({ about }: UsageFailure, context: HintContext): string | undefined => {
  const { command, isPiped } = context
  const input = context.passed.get('input')
  const help = `svc help${command === undefined ? '' : ` ${command}`}`
  switch (about) {
    case 'request':
      return undefined
    case 'key':
      return 'export SERVICE_API_KEY=<key>, or name a service with --provider (svc help providers)'
    case 'key of provider':
      return 'to see which variable takes the key of which service: svc help providers'
    case 'column':
      return typeof input === 'string' && input !== '-'
        ? `to see its columns: head -n 1 ${quote(input)}`
        : 'a name must be written as in the header'
    case 'policy':
      return 'to make a policy of these questions: svc calibrate -i <run> -o <policy>'
    case 'state':
      return isPiped ? 'to ask about what is piped in: --state -' : help
    case undefined:
      return help
  }
}

/** Tells in one line what a person may want to know about a result. */
export const adviseOnResult = (hint: ResultHint, { argv, passed }: HintContext): string => {
  switch (hint.about) {
    case 'resume': {
      const more = passed.has('resume') ? [] : ['--resume']
      const words = ['svc', ...argv, ...more].map(quote).join(' ')
      const again = words.length > longest ? 'the same command with --resume' : words
      return `${hint.rows} row${hint.rows === 1 ? ' stands' : 's stand'} in ${hint.output}; to go on: ${again}`
    }
    case 'one label':
      return `one label, "${hint.label}": labels follow the last colon`
  }
}

/** The longest command that a hint repeats, in characters. */
const longest = 1000

/** Writes a word for a POSIX shell. */
const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Writes the line of a hint. */
export const writeHint = (hint: string): string => `hint: ${sanitize(hint)}\n`
