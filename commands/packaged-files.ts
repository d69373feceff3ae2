/** Run by the build: writes what the package holds beside the program. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { archiveName, packArchive } from '../lib/replay/archive'
import { listFiles } from '../lib/replay/scenarios'

/** Writes the archive of the scenarios and goldens of the project in `root` to a folder. */
export const writePackagedFiles = (root: string, folder: string): void => {
  mkdirSync(folder, { recursive: true })
  const paths = ['fixtures', 'golden'].flatMap((top) =>
    listFiles(join(root, top)).map((path) => `${top}/${path}`),
  )
  const texts = paths.map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)
  writeFileSync(join(folder, archiveName), packArchive(Object.fromEntries(texts)))
}
