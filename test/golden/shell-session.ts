import { readTurns } from '../../lib/replay/conversation'
import type { NamedScenario } from '../../lib/replay/scenarios'
import { readProjectGolden } from './golden-files'

/** Quotes a word for bash, if necessary. Control characters get the form `$'\x1b'`. */
const quoteWord = (word: string): string => {
  if (/^[\w@%+=:,./{}-]+$/.test(word)) return word
  if (/[\u0000-\u001f]/.test(word)) return `$'${escapeWord(word)}'`
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** Escapes a word for `$'…'` like JSON, except that `'` is escaped instead of `"`, and that `\u001b` becomes `\x1b`. */
const escapeWord = (word: string): string =>
  JSON.stringify(word)
    // Removes the quotes around the word.
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll('\\u00', '\\x')

/** The maximum number of characters of an input that a command line shows. */
const maxInputLength = 60

/**
 * Formats the input of a scenario: a pipe before the command, or a redirection after it. A part that the command line does not have is
 * `''`. The made-up command `generate` stands for an input that is long or not written as text.
 */
const formatInput = ({
  scenario: { stdin },
}: NamedScenario): { readonly pipe: string; readonly redirection: string } => {
  if (stdin === undefined) return { pipe: '', redirection: '' }
  if (typeof stdin === 'object' && 'file' in stdin)
    return { pipe: '', redirection: ` < ${stdin.file}` }
  const isShort = typeof stdin === 'string' && stdin.length <= maxInputLength
  return { pipe: isShort ? `printf %s ${quoteWord(stdin)} | ` : 'generate | ', redirection: '' }
}

/** Formats the command of a scenario as a person would type it, with its environment and its input. */
export const formatCommand = (namedScenario: NamedScenario): string => {
  const { command = 'svc', env = {} } = namedScenario.scenario
  const unsetFlags: string[] = []
  const assignments: string[] = []
  // Scenarios have some variables by default. The value null removes such a variable.
  for (const [name, value] of Object.entries(env))
    if (value === null) unsetFlags.push('-u', name)
    else assignments.push(value === '' ? `${name}=` : `${name}=${quoteWord(value)}`)
  const envCommand = unsetFlags.length > 0 ? ['env', ...unsetFlags] : []
  const words = [...envCommand, ...assignments, command]
  const { pipe, redirection } = formatInput(namedScenario)
  return `${pipe}${words.join(' ')}${redirection}`
}

/** A command with more characters gets a line for each flag such as `--file`. */
const maxLineLength = 88

/** Formats the command of a scenario, on several lines if it is long. */
export const formatWrappedCommand = (namedScenario: NamedScenario): string => {
  const line = formatCommand(namedScenario)
  return line.length > maxLineLength ? line.replaceAll(' --', ' \\\n    --') : line
}

/**
 * Formats a scenario as a terminal shows it: the command, its conversation, its output and its exit code. `>` marks a line
 * that is sent, `<` a line that is received.
 */
export const formatSession = (namedScenario: NamedScenario): string => {
  const { stdout = '', stderr = '', exit = '' } = readProjectGolden(namedScenario.name)
  const exitLines = exit === '0\n' ? '' : `$ echo $?\n${exit}`
  const turns = readTurns(namedScenario).map(
    ({ kind, text }) => `${kind === 'expect' ? '<' : '>'} ${text}\n`,
  )
  return `$ ${formatWrappedCommand(namedScenario)}\n${turns.join('')}${stdout}${stderr}${exitLines}`
}
