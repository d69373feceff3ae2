import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { createTemporaryFolder, root } from './folders'
import { distFolder } from './program'

/** Packs the built program with `npm pack`. Returns the path of the tarball. */
export const packProgram = (): string => {
  const folder = createTemporaryFolder()
  cpSync(distFolder, join(folder, 'dist'), { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  // The scripts of package.json would build the program again.
  const args = ['pack', '--ignore-scripts', '--silent']
  const fileName = execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }).trim()
  return join(folder, fileName)
}
