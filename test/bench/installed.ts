import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { createTemporaryFolder, root } from '../support/folders'

/** The first file of the program, packed and globally installed in a folder that ends with this process. */
export const installed = (): string => {
  const folder = createTemporaryFolder()
  const npm = (...args: ReadonlyArray<string>): string =>
    execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const tarball = npm('pack', '--silent', '--pack-destination', folder).trim().split('\n').at(-1)
  npm('install', '--global', '--offline', '--prefix', folder, join(folder, tarball ?? ''))
  return join(folder, 'bin', 'svc')
}
