/** Run by the build: writes what the package holds beside the program. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { registeredCommands } from '../lib/cli/registry'
import { archiveName, packArchive } from '../lib/replay/archive'
import { listFiles } from '../lib/replay/scenarios'
import { writeManual } from './manual-pages'
import './index'

/** Writes to a folder the archive of the scenarios and goldens of the project in `root`, and the pages for `man`. */
export const writePackagedFiles = (root: string, folder: string, version: string): void => {
  mkdirSync(join(folder, 'man'), { recursive: true })
  for (const [name, page] of writeManual(registeredCommands(), version))
    writeFileSync(join(folder, 'man', name), page)
  const paths = ['fixtures', 'golden'].flatMap((top) =>
    listFiles(join(root, top)).map((path) => `${top}/${path}`),
  )
  const texts = paths.map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)
  writeFileSync(join(folder, archiveName), packArchive(Object.fromEntries(texts)))
}
