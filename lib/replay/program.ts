import { existsSync } from 'node:fs'
import { delimiter, dirname, extname, isAbsolute, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import readCommandShim from 'read-cmd-shim'
import type { Version } from '../runtime/build'
import type { Runtime } from '../runtime/runtime'
import { startChild } from './child'

/** A program that scenarios are run with. */
export interface ScenarioProgram {
  /** The file to run, and the arguments that come before those of a scenario. */
  readonly command: readonly [file: string, ...args: ReadonlyArray<string>]
  /** Environment variables that are set in addition to those of a scenario. */
  readonly env: Readonly<Record<string, string>>
  /** The output of its command `version`. */
  readonly version: Version
}

type Command = ScenarioProgram['command']

/** The path of this program when it is installed. The bundler puts this code into a file in a folder beside it. */
const installedProgramPath = join(import.meta.dirname, '..', 'bin.js')

/**
 * Finds the program to check and runs its command `version`. A `name` with a slash is a path. Any other name is looked up
 * in PATH. Without a name it is this program. Rejects if the program does not run.
 */
export const findProgram = async (
  name: string | undefined,
  { PATH = '' }: Runtime['env'],
  signal: AbortSignal,
): Promise<ScenarioProgram> => {
  // A relative folder of PATH would be one of the scenario's working folder, whose programs must not run by their name.
  const searchFolders = PATH.split(delimiter).filter((folder) => isAbsolute(folder))
  // A program that is a script finds this Node first.
  const folders = [dirname(process.execPath), ...searchFolders]
  const env = { PATH: folders.join(delimiter) }
  const command: Command =
    name === undefined
      ? [process.execPath, installedProgramPath]
      : await findCommandFile(name, folders, process.platform)
  return { command, env, version: await readVersion(command, env, signal) }
}

/** The endings of programs on Windows, in the order in which they are looked for. The last two are those of npm's shims. */
const windowsEndings = ['.exe', '.com', '.cmd', '.ps1']

/**
 * Finds the file of a program by its path, or by its name in these folders. Windows cannot run the shims that npm makes for a program
 * (`svc.cmd`, `svc.ps1`) without a shell, which would read the arguments again. So svc runs the script that the shim names. Rejects if a
 * file is no shim of npm.
 */
export const findCommandFile = async (
  name: string,
  folders: ReadonlyArray<string>,
  platform: NodeJS.Platform,
): Promise<Command> => {
  const isPath = /[/\\]/.test(name)
  if (platform !== 'win32') return [isPath ? resolve(name) : name]
  const paths = isPath ? [resolve(name)] : folders.map((folder) => join(folder, name))
  const candidates = paths.flatMap((path) =>
    windowsEndings.includes(extname(path).toLowerCase())
      ? [path]
      : windowsEndings.map((ending) => path + ending),
  )
  // A path without a known ending may be a script that Windows cannot run. Starting it shows the reason.
  const file = candidates.find((path) => existsSync(path)) ?? paths.find((path) => existsSync(path))
  if (file === undefined) throw new Error('no such program')
  if (!['.cmd', '.ps1'].includes(extname(file).toLowerCase())) return [file]
  const script = await readCommandShim(file).catch(() => {
    throw new Error(`${file} is not a shim of npm; name the program that it starts`)
  })
  return [process.execPath, resolve(dirname(file), script)]
}

/** The program is killed if its command `version` takes longer, in milliseconds. */
const versionTimeoutMs = 60_000

const readVersion = async (
  command: Command,
  env: ScenarioProgram['env'],
  signal: AbortSignal,
): Promise<Version> => {
  const child = startChild({ command, args: ['version'], env, signal, timeoutMs: versionTimeoutMs })
  child.stdin.end()
  const exit = new Promise<number | null>((done, fail) => {
    child.on('error', fail)
    child.on('close', done)
  })
  child.stderr.resume()
  const [stdout, code] = await Promise.all([text(child.stdout), exit])
  if (code !== 0) throw new Error(`its "version" ends with exit code ${code ?? 'none'}`)
  return parseVersion(stdout)
}

/** Parses the document of `svc version`. Throws if it is none. */
const parseVersion = (stdout: string): Version => {
  try {
    const version = JSON.parse(stdout)
    if (typeof version.version === 'string' && typeof version.go === 'string') return version
  } catch {
    // It is no JSON.
  }
  throw new Error('its "version" prints no version of svc')
}
