import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'

/** The command and the options to start a program with. */
interface ChildOptions {
  readonly command: readonly [file: string, ...args: ReadonlyArray<string>]
  readonly args: ReadonlyArray<string>
  readonly cwd?: string
  readonly env: Readonly<Record<string, string>>
  /** Kills the program when it fires. */
  readonly signal: AbortSignal
  /** The program is killed if it runs longer, in milliseconds. */
  readonly timeoutMs: number
}

/** Starts a program. Kills it, and the programs that it has started, if the signal fires or the time is over. */
export const startChild = (options: ChildOptions): ChildProcessWithoutNullStreams => {
  const { command, args, cwd, env, signal, timeoutMs } = options
  const [file, ...firstArgs] = command
  // A process group of its own lets one signal reach all its programs. On Windows, `detached` would open a console window.
  const detached = process.platform !== 'win32'
  const child = spawn(file, [...firstArgs, ...args], { cwd, env, detached })
  const kill = (): void => killChild(child, detached)
  const timer = setTimeout(kill, timeoutMs)
  signal.addEventListener('abort', kill)
  if (signal.aborted) kill()
  const stopWatching = (): void => {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
  }
  child.once('close', stopWatching)
  child.once('error', stopWatching)
  // The program may end without reading its input to the end.
  child.stdin.on('error', () => undefined)
  return child
}

const killChild = (child: ChildProcessWithoutNullStreams, isGroup: boolean): void => {
  if (child.pid === undefined) return
  try {
    if (isGroup) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  } catch {
    // The program has ended already.
  }
}
