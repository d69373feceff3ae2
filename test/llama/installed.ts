/**
 * The library that the local engine loads, for tests: installed from the manifest and the lock file beside this file
 * when the latter has changed. It is no development dependency of svc, since it would weigh ten times what all others do together.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Library } from '../../lib/service/engines/local/library'
import { root } from '../support/folders'

/** A folder from which Node finds the library. */
export const llamaFolder = join(root, 'test/llama')
/** Where the library's packages are. */
const packages = join(llamaFolder, 'node_modules')
/** Says which lock file the packages were installed from. */
const mark = join(packages, '.installed-from')

const digest = (): string =>
  createHash('sha256')
    .update(readFileSync(join(llamaFolder, 'package-lock.json')))
    .update(untested)
    .digest('hex')

/** At each start the library tries its binary in a process of its own, for half of the time that these tests take. */
const trial = 'export async function testBindingBinary('
/** The same without the trial. The processes that open models show in each test whether the binary works. */
const untested = `export const testBindingBinary = async () => true\n${trial.replace('Binary(', 'BinaryApart(')}`

/** Takes the trial out of the installed library. Fails where the library has another one. */
const removeTrial = (): void => {
  const file = join(packages, 'node-llama-cpp/dist/bindings/utils/testBindingBinary.js')
  const text = readFileSync(file, 'utf8')
  if (text.includes(untested)) return
  if (!text.includes(trial)) throw new Error(`${file} has no trial of the binary`)
  writeFileSync(file, text.replace(trial, untested))
}

const isInstalled = (): boolean => {
  try {
    return readFileSync(mark, 'utf8') === digest()
  } catch {
    return false
  }
}

interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly integrity: string }>
  >
}

/** A package as a lock file has it. npm writes one among the packages, too, with what it has installed. */
const lockedIn = (file: string, name: string) =>
  (JSON.parse(readFileSync(join(llamaFolder, file), 'utf8')) as LockFile).packages[
    `node_modules/${name}`
  ]

/** The last part of the name of the library's package with the binary, by platform and processor. */
const binarySuffixes: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'linux-arm': 'linux-armv7l',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
}

/** The package with the library's binary for this machine. Empty if there is none. */
const binaryPackages = (): ReadonlyArray<string> => {
  const suffix = binarySuffixes[`${process.platform}-${process.arch}`]
  return suffix === undefined ? [] : [`@node-llama-cpp/${suffix}`]
}

/**
 * What the library consists of on this machine, with versions. The binary has to be named to npm, which would otherwise
 * install none, or every one that fits, ten times as much. It has the library's version.
 */
const named = (): ReadonlyArray<string> => {
  const version = lockedIn('package-lock.json', 'node-llama-cpp')?.version
  return binaryPackages().map((name) => `${name}@${version}`)
}

/** The binaries that are not those of the lock file: npm does not compare what it is told by name. */
const strangers = (): ReadonlyArray<string> =>
  binaryPackages().filter((name) => {
    const locked = lockedIn('package-lock.json', name)
    const installed = lockedIn('node_modules/.package-lock.json', name)
    return locked !== undefined && installed?.integrity !== locked.integrity
  })

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
    // On Windows npm is a script.
    const options = { cwd: llamaFolder, shell: process.platform === 'win32' }
    await promisify(execFile)('npm', ['install', ...flags, ...named()], options)
    const others = strangers()
    if (others.length > 0) throw new Error(`not what package-lock.json has: ${others.join(', ')}`)
    removeTrial()
    writeFileSync(mark, digest())
    return { good: true, output: '' }
  } catch (error) {
    const said = Object(error).stdout ?? ''
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

/** Copies the built program into an empty folder, where it finds the library as an installed one does. Returns its file. */
export const programIn = (folder: string, dist: string): string => {
  cpSync(dist, join(folder, 'svc/dist'), { recursive: true })
  symlinkSync(packages, join(folder, 'node_modules'), 'junction')
  return join(folder, 'svc/dist/bin.js')
}
