import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildProgram } from './build'
import { createTemporaryFolder } from './folders'

/** The folder of the build: that of the whole test run, or a new build if this test file runs by itself. */
const buildFolder = process.env.SVC_TEST_PROGRAM ?? createTemporaryFolder()
if (process.env.SVC_TEST_PROGRAM === undefined) await buildProgram(buildFolder)

/** The folder of the built program. All tests share it, so no test may change it. */
export const distFolder = join(buildFolder, 'dist')

/** The file of the built program that Node runs. */
export const binFile = join(distFolder, 'bin.js')

/** A file of the build, as the metafile of esbuild describes it. */
export interface BuiltFile {
  readonly bytes: number
  readonly entryPoint?: string
  readonly imports: ReadonlyArray<{ readonly path: string; readonly kind: string }>
  readonly inputs: Readonly<Record<string, unknown>>
}

/** Reads the description of every file that the build wrote, by path. */
export const readBuiltFiles = (): Readonly<Record<string, BuiltFile>> =>
  JSON.parse(readFileSync(join(buildFolder, 'meta.json'), 'utf8')).outputs

/** The working folder of the programs that this test file runs. */
export const workingFolder = createTemporaryFolder()

/** The result of a program that has ended. */
export interface ProgramResult {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningProgram {
  readonly child: ChildProcess
  /** Resolves when the program has ended. */
  readonly ended: Promise<ProgramResult>
  /** Resolves with the first match in stderr. Rejects if the program ends without a match. */
  readonly waitForStderr: (pattern: RegExp) => Promise<string>
}

export interface StartOptions {
  /** The whole environment. Default: an API key. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Options of Node. */
  readonly nodeArgs?: ReadonlyArray<string>
  /** The file that Node runs. Default: the built program. */
  readonly file?: string
}

const defaultEnv = { SERVICE_API_KEY: 'sk-secret' }

/** A program that runs longer is killed. Some services run for a whole test file. */
const timeoutMs = 300_000

/** Collects the output of a child process. */
const watchChild = (child: ChildProcess): RunningProgram => {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  // The program may end without reading its input to the end.
  child.stdin?.on('error', () => undefined)
  const ended = new Promise<ProgramResult>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  const waitForStderr = (pattern: RegExp): Promise<string> =>
    // After a match, `resolve` and `reject` have no further effect, so the listeners can stay.
    new Promise((resolve, reject) => {
      const search = (): void => {
        const [match] = pattern.exec(stderr) ?? []
        if (match !== undefined) resolve(match)
      }
      child.stderr?.on('data', search)
      ended.then(() => reject(new Error(`${pattern} is not in stderr: ${stderr}`)))
      search()
    })
  return { child, ended, waitForStderr }
}

/** Starts the built program, or another file, with an open stdin. */
export const startProgram = (
  args: ReadonlyArray<string>,
  { env = defaultEnv, cwd = workingFolder, nodeArgs = [], file = binFile }: StartOptions = {},
): RunningProgram => {
  const options = { cwd, env, timeout: timeoutMs, killSignal: 'SIGKILL' } as const
  return watchChild(spawn(process.execPath, [...nodeArgs, file, ...args], options))
}

/** Runs a program like `startProgram`, but with this input. Resolves when it has ended. */
export const runProgram = (
  args: ReadonlyArray<string>,
  { stdin = '', ...options }: StartOptions & { readonly stdin?: string | Uint8Array } = {},
): Promise<ProgramResult> => {
  const { child, ended } = startProgram(args, options)
  child.stdin?.end(stdin)
  return ended
}

/** Runs a script in sh, in which `svc` runs the built program. Resolves when the script has ended. */
export const runInShell = (
  script: string,
  env: StartOptions['env'] = defaultEnv,
): Promise<ProgramResult> => {
  const svcFunction = 'svc() { "$NODE" "$BIN" "$@"; }'
  const child = spawn('sh', ['-c', `${svcFunction}; ${script}`], {
    cwd: workingFolder,
    env: { ...env, PATH: process.env.PATH, NODE: process.execPath, BIN: binFile },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
  })
  return watchChild(child).ended
}

/** The result of a program that a signal has interrupted. */
export const interruptedResult: ProgramResult = {
  code: 130,
  signal: null,
  stdout: '{"error":{"kind":"interrupted","message":"interrupted"}}\n',
  stderr: 'svc: interrupted\n',
}
