import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder of the project. Tests run in it. */
export const root = process.cwd()

const temporaryFolders: string[] = []
process.on('exit', () => {
  for (const folder of temporaryFolders) rmSync(folder, { recursive: true, force: true })
})

/** Creates an empty folder. It is removed when this process ends. */
export const createTemporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
  temporaryFolders.push(folder)
  return folder
}
