import type { Runtime } from '../runtime'

/** The exit code of a shell that does not find a command. */
const commandNotFound = 127

/**
 * Shows a text in the pager: the command in `PAGER`, or `less`. Like git, it makes `less` end at once if the text fits the screen (F), show
 * colours (R) and leave the text on the screen (X), unless `LESS` has other options. Resolves to `false` if the pager does not start, or
 * if `PAGER` is empty. Resolves to `true` once the user has closed it.
 */
export const showInPager = async (text: string, env: Runtime['env']): Promise<boolean> => {
  const command = env.PAGER ?? (process.platform === 'win32' ? '' : 'less')
  if (command.trim() === '') return false
  const { spawn } = await import('node:child_process')
  return new Promise((resolve) => {
    const child = spawn(command, {
      shell: true,
      stdio: ['pipe', 'inherit', 'ignore'],
      env: { LESS: 'FRX', ...env },
    })
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(code !== commandNotFound))
    // The user may close the pager before it has read everything.
    child.stdin.on('error', () => undefined)
    child.stdin.end(text)
  })
}
