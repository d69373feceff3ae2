import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildBundle } from '../golden/run-bundle'

/** The built program. */
export const { bin } = buildBundle()

/** A folder of this process's own. */
export const folder = mkdtempSync(join(tmpdir(), 'svc-child-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

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
  /** Resolves once stderr holds `text`. */
  readonly said: (text: string) => Promise<void>
}

type Env = Readonly<Record<string, string>>

const environment = (env: Env) => ({
  PATH: process.env.PATH,
  SERVICE_API_KEY: 'sk-secret',
  ...env,
})

/** Starts the program with pipes; a run that goes on for 30 s is killed. */
export const start = (args: ReadonlyArray<string>, env: Env = {}): Running => {
  const options: SpawnOptions = { cwd: folder, env: environment(env), timeout: 30_000 }
  return watched(spawn(process.execPath, [bin, ...args], { ...options, killSignal: 'SIGKILL' }))
}

const watched = (child: ChildProcess): Running => {
  let [stdout, stderr] = ['', '']
  let notice = (): void => undefined
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
    notice()
  })
  // The program may end without reading its input to the end.
  child.stdin?.on('error', () => undefined)
  const ended = new Promise<Ended>((done) => {
    child.on('close', (code, signal) => done({ code, signal, stdout, stderr }))
  })
  const said = (text: string) =>
    new Promise<void>((tell) => {
      notice = () => {
        if (stderr.includes(text)) tell()
      }
      notice()
    })
  return { child, ended, said }
}

/** Runs it to its end with all of its input. */
export const run = (
  args: ReadonlyArray<string>,
  options: { readonly env?: Env; readonly stdin?: string | Uint8Array } = {},
): Promise<Ended> => {
  const { child, ended } = start(args, options.env)
  child.stdin?.end(options.stdin ?? '')
  return ended
}

/** Runs a line of bash in which `svc` is the program. */
export const inShell = async (line: string, env: Env = {}): Promise<Ended> => {
  const script = `svc() { "$NODE" "$BIN" "$@"; }; ${line}`
  const options: SpawnOptions = {
    ...{ cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], timeout: 30_000 },
    env: environment({ ...env, NODE: process.execPath, BIN: bin }),
  }
  return watched(spawn('bash', ['-c', script], options)).ended
}

/** What an interrupted run leaves. */
export const interrupted: Ended = {
  code: 130,
  signal: null,
  stdout: '{"error":{"kind":"interrupted","message":"interrupted"}}\n',
  stderr: 'svc: interrupted\n',
}
