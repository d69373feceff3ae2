import { left, right } from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CommandResult } from '../../lib/cli/command-result'
import { type AnyCommand, createCommand } from '../../lib/cli/declaration'
import { main } from '../../lib/cli/main'
import { type Failure, interrupted, usage } from '../../lib/failure/failure'
import { type BuildInfo, unknownBuild } from '../../lib/runtime/build'
import { systemError } from '../../lib/runtime/node/error-reason'
import type { Runtime } from '../../lib/runtime/runtime'
import { handClock } from '../support/clock'
import { fakeRuntime, type World } from '../support/runtime'
import { createSampleCommands } from './sample'

const test = suite('cli/main')

type Work = (runtime: Runtime) => Promise<CommandResult | Failure>

const createDoCommand = (
  work: Work,
  parts: Partial<AnyCommand> = {},
): ReadonlyArray<AnyCommand> => [
  {
    ...createCommand(
      { name: 'do', summary: 'Do it', flags: [], examples: [] },
      async () =>
        ({ runtime }) =>
        async () => {
          const done = await work(runtime)
          return '_tag' in done ? left(done) : right(done)
        },
    ),
    ...parts,
  },
]

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const run = async (
  argv: ReadonlyArray<string>,
  commands: ReadonlyArray<AnyCommand>,
  parts: World = {},
  build: BuildInfo = unknownBuild,
): Promise<Ended> => {
  const { runtime, stdout, stderr } = fakeRuntime(parts)
  const code = await main(argv, runtime, build, commands)
  return { code, stdout: stdout(), stderr: stderr() }
}

/** Runs `svc do`, a command that does this work. */
const runWork = (work: Work, parts: World = {}, ...flags: ReadonlyArray<string>): Promise<Ended> =>
  run(['do', ...flags], createDoCommand(work), parts)

test('an exception is internal, and its stack stays inside', async () => {
  const thrown = [
    [new TypeError('x is not a function\n    at y'), 'x is not a function\\n    at y'],
    [new RangeError(), 'RangeError'],
    ['text', 'text'],
    [undefined, 'undefined'],
  ] as const
  for (const [error, message] of thrown) {
    const ended = await runWork(() => Promise.reject(error))
    assert.is(ended.code, 1)
    assert.is(ended.stdout, `{"error":{"kind":"internal","message":"${message}"}}\n`)
    assert.is(ended.stderr.split('\n').length, 2)
  }
})

test('a command that cannot be loaded is internal', async () => {
  const broken = createCommand({ name: 'do', summary: '', flags: [], examples: [] }, () =>
    Promise.reject(new Error('no such chunk')),
  )
  assert.match((await run(['do'], [broken])).stdout, '"kind":"internal","message":"no such chunk"')
})

test('an exception that no promise carries ends the run', async () => {
  const uncaughtError = Promise.resolve(new Error('stray'))
  const ended = await runWork(() => new Promise(() => undefined), { uncaughtError })
  assert.is(ended.stdout, '{"error":{"kind":"internal","message":"stray"}}\n')
})

test('help and version', async () => {
  for (const argv of [[], ['--help'], ['-h'], ['--pretty'], ['--help', '--version']]) {
    const { code, stdout, stderr } = await run(argv, createSampleCommands())
    assert.equal([code, stderr], [0, ''])
    assert.match(stdout, /^svc asks[\s\S]*Usage:[\s\S]*[^\n]\n$/)
  }
  const help = await run(['review', 'init', '-h'], createSampleCommands())
  assert.match(help.stdout, 'svc review init [flags]')
  const build = { ...unknownBuild, version: '1.2.3' }
  for (const argv of [['-v'], ['--version'], ['--pretty', '-v']]) {
    const ended = await run(argv, createSampleCommands(), {}, build)
    assert.equal(ended, { code: 0, stdout: 'svc version 1.2.3\n', stderr: '' })
  }
})

test('an invalid SERVICE_LOG_LEVEL stops only commands that make calls', async () => {
  const work: Work = async () => ({ stdout: 'ran' })
  const env = { SERVICE_LOG_LEVEL: 'loud' }
  for (const flags of [[], ['--log-level=']])
    assert.is((await run(['do', ...flags], createDoCommand(work), { env })).stdout, 'ran\n')
  const calling = createDoCommand(work, { network: true })
  assert.is((await run(['do', '--log-level=error'], calling, { env })).stdout, 'ran\n')
  assert.match((await run(['do'], calling, { env })).stderr, 'svc: invalid log level "loud": ')
})

test('a closed stdout does not change the exit code; a full disk does', async () => {
  const closed = { isTTY: false, write: async () => undefined }
  assert.is((await runWork(async () => usage('x'), { stdout: closed })).code, 1)
  assert.is((await runWork(async () => ({ exitCode: 8 }), { stdout: closed })).code, 8)
  const full = { isTTY: false, write: () => Promise.reject(systemError('ENOSPC')) }
  const ended = await runWork(async () => ({ stdout: 'x' }), { stdout: full })
  assert.equal(ended, {
    code: 1,
    stdout: '',
    stderr: 'svc: write stdout: no space left on device\n',
  })
  const failed = await runWork(async () => interrupted, { stdout: full, stderr: full })
  assert.is(failed.code, 1)
})

const interruptedRun = async (work: Work, parts: Partial<AnyCommand> = {}): Promise<Ended> => {
  const { runtime, stdout, stderr, interrupt } = fakeRuntime()
  const begun: Work = (world) => {
    setImmediate(interrupt)
    return work(world)
  }
  const code = await main(['do'], runtime, unknownBuild, createDoCommand(begun, parts))
  return { code, stdout: stdout(), stderr: stderr() }
}

const interruptedEnd = {
  code: 130,
  stdout: '{"error":{"kind":"interrupted","message":"interrupted"}}\n',
  stderr: 'svc: interrupted\n',
}

test('an interrupt ends a command that does not listen', async () => {
  assert.equal(await interruptedRun(() => new Promise(() => undefined)), interruptedEnd)
})

test('an AbortError after an interrupt counts as the interrupt', async () => {
  const work: Work = ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  assert.equal(await interruptedRun(work), interruptedEnd)
})

test('a command that ends in time after an interrupt keeps its outcome', async () => {
  const work: Work = ({ signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => setImmediate(() => resolve({ stdout: 'late' })))
    })
  const ended = await interruptedRun(work, { graceMs: 60_000 })
  assert.equal(ended, { code: 0, stdout: 'late\n', stderr: '' })
})

test('an interrupted run waits for a slow write of its outcome', async () => {
  const clock = handClock()
  let isWritten = false
  const write = async (): Promise<void> => {
    await new Promise((next) => setImmediate(next))
    clock.pass(500)
    await new Promise((next) => setImmediate(next))
    isWritten = true
  }
  const { runtime, interrupt } = fakeRuntime({ clock, stdout: { isTTY: false, write } })
  const work: Work = async () => {
    interrupt()
    return interrupted
  }
  assert.is(await main(['do'], runtime, unknownBuild, createDoCommand(work)), 130)
  assert.is(isWritten, true)
})

test('an interrupt ends a write that does not complete', async () => {
  const write = () => {
    setImmediate(() => interrupt())
    return new Promise<never>(() => undefined)
  }
  const { runtime, interrupt } = fakeRuntime({ stdout: { isTTY: false, write } })
  assert.is(
    await main(
      ['do'],
      runtime,
      unknownBuild,
      createDoCommand(async () => ({ stdout: 'x' })),
    ),
    130,
  )
})

test.run()
