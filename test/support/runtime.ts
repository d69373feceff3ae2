import type { Output, Runtime } from '../../lib/runtime/runtime'
import { createLogger } from '../../lib/tracing/log'
import { createSleeplessClock } from './clock'
import { createMemoryFiles } from './files'

/** An output that collects what is written to it. */
export interface Sink extends Output {
  /** Returns everything that was written so far. */
  readonly text: () => string
}

/** Creates an output, by default a pipe. `columns` is the width of a terminal. */
export const createSink = ({ isTTY = false, columns = 80 } = {}): Sink => {
  const chunks: Uint8Array[] = []
  return {
    isTTY,
    ...(isTTY ? { columns } : {}),
    write: async (data) => {
      chunks.push(Buffer.from(data))
    },
    text: () => Buffer.concat(chunks).toString(),
  }
}

/** A logger that logs nothing. */
export const noLogger = createLogger('off', createSleeplessClock(), () => undefined)

/** A runtime that does not use this machine, and what was written to its stdout and stderr. */
export interface FakeRuntime {
  readonly runtime: Runtime
  readonly stdout: () => string
  readonly stderr: () => string
  /** Interrupts the run, as SIGINT would. */
  readonly interrupt: () => void
}

/** The parts of a runtime that a test sets. */
export interface RuntimeParts extends Partial<Omit<Runtime, 'stdin'>> {
  readonly stdin?: string | Uint8Array
  /** The streams that are terminals. */
  readonly tty?: ReadonlyArray<'stdin' | 'stdout' | 'stderr'>
}

/** Creates a runtime with these parts. By default it has no environment, input, files or network, and sleeps take no time. */
export const createFakeRuntime = ({
  stdin = '',
  tty = [],
  ...parts
}: RuntimeParts = {}): FakeRuntime => {
  const input = Buffer.from(stdin)
  const stdout = createSink({ isTTY: tty.includes('stdout') })
  const stderr = createSink({ isTTY: tty.includes('stderr') })
  const controller = new AbortController()
  const runtime: Runtime = {
    env: {},
    nodeVersion: process.version,
    stdin: {
      isTTY: tty.includes('stdin'),
      // With one byte more the caller sees that the input is too long.
      read: async (maxBytes) => input.subarray(0, maxBytes + 1),
      async *chunks() {
        yield input
      },
    },
    stdout,
    stderr,
    clock: createSleeplessClock(),
    random: () => 0,
    signal: controller.signal,
    files: createMemoryFiles().files,
    fetch: () => Promise.reject(new Error('the test does not expect a call')),
    ...parts,
  }
  return { runtime, stdout: stdout.text, stderr: stderr.text, interrupt: () => controller.abort() }
}
