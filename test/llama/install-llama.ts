/**
 * Installs node-llama-cpp, the library of the local engine, for tests. `package-lock.json` in this folder fixes the versions. The
 * library is no development dependency of svc, because it is ten times as large as all others together.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Library } from '../../lib/service/engines/local/library'
import { root } from '../support/folders'

/** A folder from which Node finds the library. */
const llamaFolder = join(root, 'test/llama')

const packagesFolder = join(llamaFolder, 'node_modules')

/** Records what the last complete installation was made from: the result of `computeDigest`. */
const digestFile = join(packagesFolder, '.installed-from')

/** The start of the function in the library's source that checks its binary. */
const checkSource = 'export async function testBindingBinary('

/**
 * Replaces `checkSource`. It adds a check that always succeeds, and gives the original function another name. It ends with an open
 * parenthesis, because the parameters of the original function follow. At each start the library tests its binary in another process,
 * which would take half of the time of these tests. The tests open models anyway, so they would notice a broken binary.
 */
const patchedCheckSource = `export const testBindingBinary = async () => true
export async function originalTestBindingBinary(`

/** Replaces the check of the binary in the installed library, unless it is replaced already. Throws if the library has no such check. */
const replaceBinaryCheck = (): void => {
  const file = join(packagesFolder, 'node-llama-cpp/dist/bindings/utils/testBindingBinary.js')
  const text = readFileSync(file, 'utf8')
  if (text.includes(patchedCheckSource)) return
  if (!text.includes(checkSource)) throw new Error(`${file} has no check of the binary`)
  writeFileSync(file, text.replace(checkSource, patchedCheckSource))
}

/** Returns a digest of everything that determines the installed packages: the lock file and our patch. */
const computeDigest = (): string =>
  createHash('sha256')
    .update(readFileSync(join(llamaFolder, 'package-lock.json')))
    .update(patchedCheckSource)
    .digest('hex')

const isInstalled = (): boolean => {
  try {
    return readFileSync(digestFile, 'utf8') === computeDigest()
  } catch {
    return false
  }
}

interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly integrity: string }>
  >
}

/** Reads the entry of a package in a lock file: our own, or the one that npm writes about installed packages. */
const readLockEntry = (
  lockFile: 'package-lock.json' | 'node_modules/.package-lock.json',
  name: string,
) => {
  const { packages } = JSON.parse(readFileSync(join(llamaFolder, lockFile), 'utf8')) as LockFile
  return packages[`node_modules/${name}`]
}

/** The end of the name of the package with the binary, by platform and processor. */
const binarySuffixes: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'linux-arm': 'linux-armv7l',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
}

/** Returns the name of the package with the binary for this machine; `undefined` if there is none. */
const findBinaryPackage = (): string | undefined => {
  const suffix = binarySuffixes[`${process.platform}-${process.arch}`]
  return suffix === undefined ? undefined : `@node-llama-cpp/${suffix}`
}

const npmFlags = [
  '--no-save',
  '--omit=optional',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
]

/** Installs the library and the binary for this machine. Rejects if npm fails or installs another binary than the locked one. */
const installPackages = async (): Promise<void> => {
  // npm would keep files that an earlier patch has changed.
  rmSync(packagesFolder, { recursive: true, force: true })
  // `npm ci` would fail, because it needs every binary of the lock file, and the registry no longer has some of them. `npm install`
  // alone would install every binary that fits, which is ten times as much, or none. So `npmFlags` omit all binaries, which are optional
  // packages, and the command names the one for this machine.
  const args = ['install', ...npmFlags]
  const binaryPackage = findBinaryPackage()
  const version = readLockEntry('package-lock.json', 'node-llama-cpp')?.version
  if (binaryPackage !== undefined) args.push(`${binaryPackage}@${version}`)
  // On Windows npm is a script, which only a shell can run.
  await promisify(execFile)('npm', args, { cwd: llamaFolder, shell: process.platform === 'win32' })
  if (binaryPackage === undefined) return
  // npm does not compare packages named on the command line with the lock file.
  const locked = readLockEntry('package-lock.json', binaryPackage)
  const installed = readLockEntry('node_modules/.package-lock.json', binaryPackage)
  if (locked !== undefined && installed?.integrity !== locked.integrity)
    throw new Error(`${binaryPackage} is not the package that package-lock.json names`)
}

/**
 * Installs the library unless it is installed. If the installation fails, `isOk` is false, and `output` says why. It never rejects,
 * because `npm test` reports the failure as that of a step.
 */
export const installLlama = async (): Promise<{
  readonly isOk: boolean
  readonly output: string
}> => {
  if (isInstalled()) return { isOk: true, output: '' }
  try {
    await installPackages()
    replaceBinaryCheck()
    writeFileSync(digestFile, computeDigest())
    return { isOk: true, output: '' }
  } catch (error) {
    const npmOutput = error instanceof Error && 'stdout' in error ? error.stdout : ''
    const output = `cannot install node-llama-cpp, which the tests of the local engine need:\n${error}\n${npmOutput}`
    return { isOk: false, output }
  }
}

/** Loads the installed library. Throws if it is not installed. */
export const loadLlamaLibrary = (): Promise<Library> => {
  if (!isInstalled())
    throw new Error('node-llama-cpp is not installed: run npm test -- engines/local')
  return import(pathToFileURL(join(packagesFolder, 'node-llama-cpp/dist/index.js')).href)
}

/**
 * Copies the built program into an empty folder, in which it finds the library like a program that npm installed. Returns the path of
 * `bin.js`.
 */
export const installProgramWithLlama = (folder: string, dist: string): string => {
  cpSync(dist, join(folder, 'svc/dist'), { recursive: true })
  symlinkSync(packagesFolder, join(folder, 'node_modules'), 'junction')
  return join(folder, 'svc/dist/bin.js')
}
