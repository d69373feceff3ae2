import { expected } from './golden'
import type { Named } from './scenario'

const quote = (word: string): string =>
  /^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

const redirect = ({ scenario: { stdin } }: Named): string =>
  typeof stdin === 'object' && 'file' in stdin ? ` < ${stdin.file}` : ''

const prefix = ({ scenario: { stdin } }: Named): string => {
  if (stdin === undefined || (typeof stdin === 'object' && 'file' in stdin)) return ''
  const short = typeof stdin === 'string' && stdin.length <= 60
  return short ? `printf %s ${quote(stdin)} | ` : 'generate | '
}

/** The command of a scenario as a shell takes it. */
export const command = (named: Named): string => {
  const { argv, env } = named.scenario
  const settings = Object.entries(env ?? {}).map(
    ([name, value]) => `${name}=${quote(value ?? '')} `,
  )
  return `${prefix(named)}${settings.join('')}${['svc', ...argv.map(quote)].join(' ')}${redirect(named)}`
}

/** A scenario as a terminal shows it: the command, wrapped at its flags when long, and what came. */
export const session = (named: Named): string => {
  const line = command(named)
  const shown = line.length > 88 ? line.replaceAll(' --', ' \\\n    --') : line
  const { stdout = '', stderr = '', exit = '' } = expected(named.name)
  const code = exit === '0\n' ? '' : `$ echo $?\n${exit}`
  return `$ ${shown}\n${stdout}${stderr}${code}`
}
