import { readTurns } from '../../lib/replay/conversation'
import type { NamedScenario } from '../../lib/replay/scenarios'
import { expected } from './golden-files'

const escaped = (word: string): string =>
  JSON.stringify(word)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll('\\u00', '\\x')

const quote = (word: string): string => {
  if (/^[\w@%+=:,./{}-]+$/.test(word)) return word
  if (/[\u0000-\u001f]/.test(word)) return `$'${escaped(word)}'`
  return `'${word.replaceAll("'", "'\\''")}'`
}

const redirect = ({ scenario: { stdin } }: NamedScenario): string =>
  typeof stdin === 'object' && 'file' in stdin ? ` < ${stdin.file}` : ''

const prefix = ({ scenario: { stdin } }: NamedScenario): string => {
  if (stdin === undefined || (typeof stdin === 'object' && 'file' in stdin)) return ''
  const short = typeof stdin === 'string' && stdin.length <= 60
  return short ? `printf %s ${quote(stdin)} | ` : 'generate | '
}

/** The command of a scenario as a shell takes it. */
export const command = (named: NamedScenario): string => {
  const { command: typed = 'svc', env } = named.scenario
  const entries = Object.entries(env ?? {})
  const unset = entries.flatMap(([name, value]) => (value === null ? ['-u', name] : []))
  const set = entries.flatMap(([name, value]) =>
    value === null ? [] : [value === '' ? `${name}=` : `${name}=${quote(value)}`],
  )
  const words = [...(unset.length === 0 ? [] : ['env', ...unset]), ...set, typed]
  return `${prefix(named)}${words.join(' ')}${redirect(named)}`
}

/** The command of a scenario, wrapped at its long flags when it is long itself. */
export const wrapped = (named: NamedScenario): string => {
  const line = command(named)
  return line.length > 88 ? line.replaceAll(' --', ' \\\n    --') : line
}

/** A scenario as a terminal shows it: the command and what came of it; `>` a line that is sent, `<` one that comes. */
export const session = (named: NamedScenario): string => {
  const { stdout = '', stderr = '', exit = '' } = expected(named.name)
  const code = exit === '0\n' ? '' : `$ echo $?\n${exit}`
  const talk = readTurns(named).map(({ is, text }) => `${is === 'expect' ? '<' : '>'} ${text}\n`)
  return `$ ${wrapped(named)}\n${talk.join('')}${stdout}${stderr}${code}`
}
