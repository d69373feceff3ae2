import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The project's folder: tests are started in it. */
export const root = process.cwd()

const temporary: string[] = []
process.on('exit', () => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true })
})

/** Makes an empty folder that is removed when this process ends. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
  temporary.push(folder)
  return folder
}

/** Test vectors from elsewhere, kept in a folder beside the project; `undefined` where that is not. */
export const outsideVectors = (name: string): unknown => {
  const path = join(root, '../shared/outside-vectors', name)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}
