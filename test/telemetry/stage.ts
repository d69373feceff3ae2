import { nodeClock } from '../../lib/runtime/node-clock'
import type { Clock, Files, Output, Runtime } from '../../lib/runtime/runtime'
import { openTracing, type Tracing } from '../../lib/telemetry/tracing'
import { createRedact } from '../../lib/text/redact'

/** An output that keeps what was written. */
export const sink = (): Output & { readonly text: () => string } => {
  const parts: string[] = []
  return {
    isTTY: false,
    write: async (data) => void parts.push(Buffer.from(data).toString()),
    text: () => parts.join(''),
  }
}

const missing = (path: string): Error =>
  Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT' })

const refuse = async (): Promise<never> => {
  throw new Error('not part of this test')
}

/** A run whose environment, files and time are the test's. */
export interface Stage {
  readonly runtime: Runtime
  readonly stdout: () => string
  readonly stderr: () => string
}

export const stage = (options: {
  readonly env?: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly clock?: Clock
}): Stage => {
  const stdout = sink()
  const stderr = sink()
  const files: Files = {
    read: async (path, limit = Infinity) => {
      const content = options.files?.[path]
      if (content === undefined) throw missing(path)
      return new Uint8Array(Buffer.from(content)).subarray(0, limit + 1)
    },
    list: () => Promise.reject(new Error('no folder')),
    chunks: () => {
      throw new Error('no file')
    },
    openOutput: refuse,
    create: refuse,
    replace: refuse,
    append: refuse,
    checkWritable: refuse,
    makeFolder: refuse,
  }
  const runtime: Runtime = {
    env: options.env ?? {},
    cwd: '/',
    nodeVersion: process.version,
    stdin: {
      isTTY: false,
      read: refuse,
      chunks: () => {
        throw new Error('no input')
      },
    },
    stdout,
    stderr,
    clock: options.clock ?? nodeClock,
    random: () => 0.5,
    signal: new AbortController().signal,
    files,
    fetch: refuse,
  }
  return { runtime, stdout: stdout.text, stderr: stderr.text }
}

/** Opens tracing with `--trace` and version 1.2.3. */
export const traced = (
  on: Stage,
  options: { readonly secrets?: ReadonlyArray<string> | undefined } = {},
): Promise<Tracing> =>
  openTracing(on.runtime, {
    trace: true,
    noTrace: false,
    version: '1.2.3',
    redact: createRedact(options.secrets ?? []),
  })

/** A stage whose `OTEL_CONFIG_FILE` holds this text. */
export const configured = (
  text: string,
  more: {
    readonly env?: Readonly<Record<string, string>>
    readonly files?: Readonly<Record<string, string | Uint8Array>>
    readonly clock?: Clock
  } = {},
): Stage =>
  stage({
    ...more,
    env: { ...more.env, OTEL_CONFIG_FILE: 'otel.yaml' },
    files: { ...more.files, 'otel.yaml': text },
  })

/** A clock whose timers fire when the test says so, and whose sleeps end at once. */
export const handClock = (): Clock & {
  readonly fire: (ms: number) => void
} => {
  const timers = new Set<{ readonly ms: number; readonly run: () => void }>()
  return {
    now: () => 0,
    monotonic: () => 0,
    sleep: async () => undefined,
    timer: (ms, run) => {
      const timer = { ms, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    fire: (ms) => {
      for (const timer of [...timers].filter((t) => t.ms === ms)) {
        timers.delete(timer)
        timer.run()
      }
    },
  }
}
