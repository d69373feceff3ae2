import type { Output, Runtime } from '../../lib/runtime/runtime'

/** A runtime without a machine behind it, and what was written to it. */
export interface TestRuntime {
  readonly runtime: Runtime
  readonly stdout: () => string
  readonly stderr: () => string
  readonly abort: () => void
}

const unused = (): never => {
  throw new Error('not expected in this test')
}

/** Parts of it can be replaced. Time stands still but for timers, which run on the machine's clock. */
export const testRuntime = (parts: Partial<Runtime> = {}): TestRuntime => {
  const chunks = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] }
  const output = (to: Uint8Array[]): Output => ({
    isTTY: false,
    write: async (data) => {
      to.push(Buffer.from(data))
    },
  })
  const controller = new AbortController()
  const runtime: Runtime = {
    env: {},
    cwd: '/',
    nodeVersion: 'v20.19.0',
    stdin: { isTTY: false, read: unused, chunks: unused },
    stdout: output(chunks.stdout),
    stderr: output(chunks.stderr),
    clock: {
      now: () => 0,
      monotonic: () => 0,
      sleep: unused,
      timer: (ms, run) => {
        const timer = setTimeout(run, ms)
        return () => clearTimeout(timer)
      },
    },
    random: () => 0,
    signal: controller.signal,
    files: {
      read: unused,
      chunks: unused,
      openOutput: unused,
      list: unused,
      create: unused,
      replace: unused,
      append: unused,
      checkWritable: unused,
      makeFolder: unused,
    },
    fetch: unused,
    ...parts,
  }
  return {
    runtime,
    stdout: () => Buffer.concat(chunks.stdout).toString(),
    stderr: () => Buffer.concat(chunks.stderr).toString(),
    abort: () => controller.abort(),
  }
}
