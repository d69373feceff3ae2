import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createOutput } from '../../lib/runtime/node/output'
import { createTemporaryFolder } from '../support/folders'

const test = suite('runtime/process')

/** The bundled `misbehaving-program.ts`. */
const program = join(createTemporaryFolder(), 'program.mjs')
buildSync({
  entryPoints: ['test/runtime/misbehaving-program.ts'],
  outfile: program,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  logLevel: 'error',
  mainFields: ['module', 'main'],
  // svc imports its help topics as texts.
  loader: { '.md': 'text' },
})

interface ProgramResult {
  /** `null` if a signal ended the process. */
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

interface RunningProgram {
  readonly child: ChildProcessWithoutNullStreams
  /** Resolves when the process has ended. */
  readonly result: Promise<ProgramResult>
  /** Resolves when the program has written `started` to stderr. */
  readonly started: Promise<void>
}

/** Starts a command of the misbehaving program. With `ignoreStdout`, nothing reads the stdout of the program. */
const startProgram = (
  name: string,
  options: { readonly ignoreStdout?: boolean } = {},
): RunningProgram => {
  const child = spawn(process.execPath, [program, name])
  let stdout = ''
  let stderr = ''
  if (!options.ignoreStdout) child.stdout.on('data', (chunk: Buffer) => (stdout += String(chunk)))
  const started = new Promise<void>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += String(chunk)
      if (stderr.includes('started\n')) resolve()
    })
  })
  const result = new Promise<ProgramResult>((resolve) => {
    child.on('exit', (code, signal) => {
      // A stream with unread data never closes by itself.
      if (options.ignoreStdout) child.stdout.destroy()
      child.on('close', () => resolve({ code, signal, stdout, stderr }))
    })
  })
  return { child, result, started }
}

const interruptedOutput = {
  stdout: '{"error":{"kind":"interrupted","message":"interrupted"}}\n',
  stderr: 'started\nsvc: interrupted\n',
}

test('reports no width for a terminal of unknown size', () => {
  // Such a terminal has 0 columns.
  const original = Object.getOwnPropertyDescriptor(process.stderr, 'columns')
  const readWidth = (columns: number) => {
    Object.defineProperty(process.stderr, 'columns', { value: columns, configurable: true })
    // The file descriptor of stderr
    return createOutput(2).columns
  }
  assert.equal([readWidth(0), readWidth(120)], [undefined, 120])
  if (original) Object.defineProperty(process.stderr, 'columns', original)
  else Reflect.deleteProperty(process.stderr, 'columns')
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends a command that ignores the signal and keeps a server, a timer and stdin open`, async () => {
    const { child, result, started } = startProgram('ignore-signals')
    await started
    child.kill(signal)
    assert.equal(await result, { code: 130, signal: null, ...interruptedOutput })
  })
}

test('a second signal ends the process at once, without the error output', async () => {
  const { child, result, started } = startProgram('stop-slowly')
  await started
  child.kill('SIGINT')
  await once(child.stderr, 'data')
  child.kill('SIGINT')
  assert.equal(await result, {
    code: 130,
    signal: null,
    stdout: '',
    stderr: 'started\nsignalled\n',
  })
})

test('a signal ends a write to a pipe whose reader has stopped reading', async () => {
  const { child, result, started } = startProgram('write-much', { ignoreStdout: true })
  await started
  // 'readable' means that the first data is in the pipe, which is too small for the remaining data.
  await once(child.stdout, 'readable')
  child.kill('SIGINT')
  const { code, signal, stderr } = await result
  // svc exits with 130. If a thread of Node is still writing, Node ends by SIGINT instead. A shell reports both as 130.
  assert.ok(code === 130 || signal === 'SIGINT', `${code} ${signal}`)
  assert.is(stderr, 'started\n')
})

test('a server that a command leaves open does not delay the exit', async () => {
  const { result } = startProgram('leave-server-open')
  const { code, stdout } = await result
  assert.equal([code, stdout], [0, 'done\n'])
})

test('reports an uncaught exception as an internal error, without a stack trace', async () => {
  assert.equal(await startProgram('throw-later').result, {
    code: 1,
    signal: null,
    stdout: '{"error":{"kind":"internal","message":"thrown later"}}\n',
    stderr: 'svc: thrown later\n',
  })
})

test('reports an unhandled rejection as an internal error, without a stack trace', async () => {
  assert.equal(await startProgram('reject-unhandled').result, {
    code: 1,
    signal: null,
    stdout: '{"error":{"kind":"internal","message":"unhandled rejection"}}\n',
    stderr: 'svc: unhandled rejection\n',
  })
})

test("keeps Node's warnings off stderr", async () => {
  const { stdout, stderr } = await startProgram('emit-warnings').result
  assert.equal([stdout, stderr], ['warned\n', ''])
})

test.run()
