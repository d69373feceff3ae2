import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The project's folder: tests are started in it. */
export const root = process.cwd()

const temporary: string[] = []
process.on('exit', () => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true })
})

/** Makes an empty folder that is removed when this process ends. */
export const createTemporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
  temporary.push(folder)
  return folder
}

/** Reads a file of `test/vectors`, which has test vectors of other projects. Throws if it is missing. */
export const readVectors = <A>(name: string): A =>
  JSON.parse(readFileSync(join(root, 'test/vectors', name), 'utf8'))
