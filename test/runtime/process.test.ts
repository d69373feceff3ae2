import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createOutput } from '../../lib/runtime/node/output'
import { temporaryFolder } from '../support/folders'

const test = suite('runtime/process')

const program = join(temporaryFolder(), 'program.mjs')
buildSync({
  entryPoints: ['test/runtime/program.ts'],
  outfile: program,
  ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20.19', logLevel: 'error' },
  mainFields: ['module', 'main'],
  loader: { '.md': 'text' },
})

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

interface Running {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
  readonly started: Promise<void>
}

const start = (name: string, options: { readonly paused?: boolean } = {}): Running => {
  const child = spawn(process.execPath, [program, name])
  let [stdout, stderr] = ['', '']
  let onStarted = (): void => undefined
  const started = new Promise<void>((resolve) => {
    onStarted = resolve
  })
  if (!options.paused) child.stdout.on('data', (chunk: Buffer) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += String(chunk)
    if (stderr.includes('started\n')) onStarted()
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('exit', (code, signal) => {
      // Streams of a paused child never close by themselves.
      if (options.paused) child.stdout.destroy()
      child.on('close', () => resolve({ code, signal, stdout, stderr }))
    })
  })
  return { child, ended, started }
}

const interruptedOutput = {
  stdout: '{"error":{"kind":"interrupted","message":"interrupted"}}\n',
  stderr: 'started\nsvc: interrupted\n',
}

test('a terminal that was told no size has no width', () => {
  const own = Object.getOwnPropertyDescriptor(process.stderr, 'columns')
  const widthWith = (columns: number) => {
    Object.defineProperty(process.stderr, 'columns', { value: columns, configurable: true })
    return createOutput(2).columns
  }
  assert.equal([widthWith(0), widthWith(120)], [undefined, 120])
  if (own) Object.defineProperty(process.stderr, 'columns', own)
  else Reflect.deleteProperty(process.stderr, 'columns')
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends a command that does not listen, whatever it holds open`, async () => {
    const { child, ended, started } = start('deaf')
    await started
    child.kill(signal)
    assert.equal(await ended, { code: 130, signal: null, ...interruptedOutput })
  })
}

test('a second signal ends it at once: nobody waits for the grace or writes the envelope', async () => {
  const { child, ended, started } = start('patient')
  await started
  child.kill('SIGINT')
  await once(child.stderr, 'data')
  child.kill('SIGINT')
  assert.equal(await ended, { code: 130, signal: null, stdout: '', stderr: 'started\nsignalled\n' })
})

test('a signal ends a write that nobody reads', async () => {
  const { child, ended, started } = start('flood', { paused: true })
  await started
  // The beginning of what it writes; the rest finds no room.
  await once(child.stdout, 'readable')
  child.kill('SIGINT')
  const { code, signal, stderr } = await ended
  // A thread is still in the system's write: the shell sees 130 either way.
  assert.ok(code === 130 || signal === 'SIGINT', `${code} ${signal}`)
  assert.is(stderr, 'started\n')
})

test('a handle that was left open does not hold the exit', async () => {
  const { ended } = start('leftover')
  const { code, stdout } = await ended
  assert.equal([code, stdout], [0, 'done\n'])
})

test('exceptions outside of the command are internal, without a trace', async () => {
  for (const [name, message] of [
    ['stray', 'stray exception'],
    ['unhandled', 'unhandled rejection'],
  ] as const) {
    const stdout = `{"error":{"kind":"internal","message":"${message}"}}\n`
    assert.equal(await start(name).ended, {
      code: 1,
      signal: null,
      stdout,
      stderr: `svc: ${message}\n`,
    })
  }
})

test("Node's warnings stay off stderr", async () => {
  const { stdout, stderr } = await start('warn').ended
  assert.equal([stdout, stderr], ['warned\n', ''])
})

test.run()
