import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildProgram } from './build'
import { temporaryFolder } from './folders'

/** Where the built program is: the test run's own build, or a new one where a file runs by itself. */
const built = process.env.SVC_TEST_PROGRAM ?? temporaryFolder()
if (process.env.SVC_TEST_PROGRAM === undefined) await buildProgram(built)

/** The built program as it is installed. Tests leave it as it is. */
export const dist = join(built, 'dist')
/** The file that Node runs. */
export const bin = join(dist, 'bin.js')

/** A file that the build wrote, as esbuild's metafile has it. */
export interface BuiltFile {
  readonly bytes: number
  readonly entryPoint?: string
  readonly imports: ReadonlyArray<{ readonly path: string; readonly kind: string }>
  readonly inputs: Readonly<Record<string, unknown>>
}

/** The files that the build wrote, by path. */
export const builtFiles = (): Readonly<Record<string, BuiltFile>> =>
  JSON.parse(readFileSync(join(built, 'meta.json'), 'utf8')).outputs

/** A folder of this process's own, in which the program runs. */
export const folder = temporaryFolder()

/** How a run ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A run under way. */
export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves with what stderr says that fits the pattern, once it does; rejects when the run ends without. */
  readonly said: (pattern: RegExp) => Promise<string>
}

/** What surrounds a run. */
export interface Surroundings {
  /** All of its environment. Default: an API key. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Node's own arguments. */
  readonly node?: ReadonlyArray<string>
  /** Another copy of the file that Node runs. */
  readonly file?: string
}

const defaultEnv = { SERVICE_API_KEY: 'sk-secret' }

/** A run that goes on for longer is killed, in ms; some services run for a whole test file. */
const timeout = 100_000

const watched = (child: ChildProcess): Running => {
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  // The program may end without reading its input to the end.
  child.stdin?.on('error', () => undefined)
  const ended = new Promise<Ended>((done) => {
    child.on('close', (code, signal) => done({ code, signal, stdout, stderr }))
  })
  const said = (pattern: RegExp) =>
    new Promise<string>((tell, fail) => {
      const look = (): void => {
        const [found] = pattern.exec(stderr) ?? []
        if (found !== undefined) tell(found)
      }
      child.stderr?.on('data', look)
      child.on('close', () => fail(new Error(`it ended without saying ${pattern}: ${stderr}`)))
      look()
    })
  return { child, ended, said }
}

/** Starts the program with pipes. */
export const start = (
  args: ReadonlyArray<string>,
  { env = defaultEnv, cwd = folder, node = [], file = bin }: Surroundings = {},
): Running =>
  watched(
    spawn(process.execPath, [...node, file, ...args], {
      ...{ cwd, env, timeout, killSignal: 'SIGKILL' },
    }),
  )

/** Runs the program to its end with all of its input. */
export const run = (
  args: ReadonlyArray<string>,
  { stdin = '', ...surroundings }: Surroundings & { readonly stdin?: string | Uint8Array } = {},
): Promise<Ended> => {
  const { child, ended } = start(args, surroundings)
  child.stdin?.end(stdin)
  return ended
}

/** Runs a line of sh in which `svc` is the program. */
export const inShell = (line: string, env: Surroundings['env'] = defaultEnv): Promise<Ended> => {
  const script = `svc() { "$NODE" "$BIN" "$@"; }; ${line}`
  const child = spawn('sh', ['-c', script], {
    ...{ cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], timeout },
    env: { ...env, PATH: process.env.PATH, NODE: process.execPath, BIN: bin },
  })
  return watched(child).ended
}

/** What an interrupted run leaves. */
export const interrupted: Ended = {
  code: 130,
  signal: null,
  stdout: '{"error":{"kind":"interrupted","message":"interrupted"}}\n',
  stderr: 'svc: interrupted\n',
}
