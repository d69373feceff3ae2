import { readTurns } from '../../lib/replay/conversation'
import type { NamedScenario } from '../../lib/replay/scenarios'
import { readProjectGolden } from './golden-files'

/** Quotes a word for bash, if necessary. Control characters get the form `$'\x1b'`. */
const quoteWord = (word: string): string => {
  if (/^[\w@%+=:,./{}-]+$/.test(word)) return word
  if (/[\u0000-\u001f]/.test(word)) return `$'${escapeWord(word)}'`
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** Escapes a word for `$'…'`: the escapes of JSON, with `\x1b` in place of `\u001b`. */
const escapeWord = (word: string): string =>
  JSON.stringify(word)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll('\\u00', '\\x')

/** The maximum of characters of an input that the command line shows. */
const maxShownInput = 60

/**
 * Formats the parts of a command line that pass the input of a scenario: a pipe in front, or a redirection behind. A made-up
 * command `generate` stands for a long input.
 */
const formatInput = ({
  scenario: { stdin },
}: NamedScenario): { readonly pipe: string; readonly redirection: string } => {
  if (stdin === undefined) return { pipe: '', redirection: '' }
  if (typeof stdin === 'object' && 'file' in stdin)
    return { pipe: '', redirection: ` < ${stdin.file}` }
  const isShort = typeof stdin === 'string' && stdin.length <= maxShownInput
  return { pipe: isShort ? `printf %s ${quoteWord(stdin)} | ` : 'generate | ', redirection: '' }
}

/** Formats the command of a scenario as a person would type it, with its environment and its input. */
export const formatCommand = (named: NamedScenario): string => {
  const { command = 'svc', env = {} } = named.scenario
  const unset: string[] = []
  const set: string[] = []
  for (const [name, value] of Object.entries(env))
    if (value === null) unset.push('-u', name)
    else set.push(value === '' ? `${name}=` : `${name}=${quoteWord(value)}`)
  const words = [...(unset.length > 0 ? ['env', ...unset] : []), ...set, command]
  const { pipe, redirection } = formatInput(named)
  return `${pipe}${words.join(' ')}${redirection}`
}

/** Commands with more characters are wrapped before each long flag. */
const maxLineLength = 88

/** Formats the command of a scenario, wrapped before its long flags if the command is long. */
export const formatWrappedCommand = (named: NamedScenario): string => {
  const line = formatCommand(named)
  return line.length > maxLineLength ? line.replaceAll(' --', ' \\\n    --') : line
}

/**
 * Formats a scenario as a terminal shows it: the command, its conversation, its output and its exit code. `>` marks a line
 * that is sent, `<` a line that is received.
 */
export const formatSession = (named: NamedScenario): string => {
  const { stdout = '', stderr = '', exit = '' } = readProjectGolden(named.name)
  const code = exit === '0\n' ? '' : `$ echo $?\n${exit}`
  const turns = readTurns(named).map(
    ({ kind, text }) => `${kind === 'expect' ? '<' : '>'} ${text}\n`,
  )
  return `$ ${formatWrappedCommand(named)}\n${turns.join('')}${stdout}${stderr}${code}`
}
