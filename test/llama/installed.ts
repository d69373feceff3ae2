/**
 * The library that the local engine loads, for tests: installed from the manifest and the lock file beside this file
 * when the latter has changed. It is no development dependency of svc, since it would weigh ten times what all others do together.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Library } from '../../lib/service/engines/local/library'
import { root } from '../support/folders'

/** Where the library's packages are. */
export const packages = join(root, 'test/llama/node_modules')
/** Says which lock file the packages were installed from. */
const mark = join(packages, '.installed-from')

const digest = (): string =>
  createHash('sha256')
    .update(readFileSync(join(root, 'test/llama/package-lock.json')))
    .digest('hex')

const isInstalled = (): boolean => {
  try {
    return readFileSync(mark, 'utf8') === digest()
  } catch {
    return false
  }
}

/** Installs the library where that is needed. Fails with what npm says. */
export const installLlama = async (): Promise<{
  readonly good: boolean
  readonly output: string
}> => {
  if (isInstalled()) return { good: true, output: '' }
  // Not `npm ci`: it wants every binary of the library in the lock file, also those the registry does not have.
  const flags = [
    '--no-save',
    '--omit=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  try {
    await promisify(execFile)('npm', ['install', ...flags], { cwd: join(root, 'test/llama') })
    writeFileSync(mark, digest())
    return { good: true, output: '' }
  } catch (error) {
    const said = Object(error).stdout
    const output = `node-llama-cpp, which the local engine is tested with, cannot be installed:\n${error}\n${said}`
    return { good: false, output }
  }
}

/** The library. */
export const llamaLibrary = (): Promise<Library> => {
  if (!isInstalled())
    throw new Error('node-llama-cpp is not installed: run npm test -- engines/local')
  return import(pathToFileURL(join(packages, 'node-llama-cpp/dist/index.js')).href)
}
