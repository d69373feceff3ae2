import { left, right } from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CommandResult } from '../../lib/cli/command-result'
import { type AnyCommand, createCommand } from '../../lib/cli/declaration'
import { main } from '../../lib/cli/main'
import { type Failure, interrupted, usage } from '../../lib/failure/failure'
import { exitCodes } from '../../lib/failure/report'
import { unknownBuild } from '../../lib/runtime/build'
import { createSystemError } from '../../lib/runtime/node/error-reason'
import type { Runtime } from '../../lib/runtime/runtime'
import { createManualClock } from '../support/clock'
import { createFakeRuntime, type FakeRuntime, type RuntimeParts } from '../support/runtime'
import { createSampleCommands } from './sample-commands'

const test = suite('cli/main')

/** The work of a command that a test defines. */
type Work = (runtime: Runtime) => Promise<CommandResult | Failure>

/** Creates a command `svc work` that does this work. */
const createWorkCommand = (work: Work, overrides: Partial<AnyCommand> = {}): AnyCommand => ({
  ...createCommand(
    { name: 'work', summary: 'Work', flags: [], examples: [] },
    // `createCommand` takes a function that loads the code of the command.
    async () => async (context) => {
      const result = await work(context.runtime)
      return '_tag' in result ? left(result) : right(result)
    },
  ),
  ...overrides,
})

interface ProgramResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `svc` with these commands only. */
const runIn = async (
  { runtime, stdout, stderr }: FakeRuntime,
  argv: ReadonlyArray<string>,
  commands: ReadonlyArray<AnyCommand>,
  version = 'unknown',
): Promise<ProgramResult> => {
  const code = await main(argv, runtime, { ...unknownBuild, version }, commands)
  return { code, stdout: stdout(), stderr: stderr() }
}

/** Runs `svc work`, a command that does this work. */
const runWork = (work: Work, parts: RuntimeParts = {}): Promise<ProgramResult> =>
  runIn(createFakeRuntime(parts), ['work'], [createWorkCommand(work)])

/** Runs `svc` 1.2.3 with the sample commands. */
const runSample = (...argv: ReadonlyArray<string>): Promise<ProgramResult> =>
  runIn(createFakeRuntime(), argv, createSampleCommands(), '1.2.3')

const neverEnd: Work = () => new Promise(() => undefined)

const thrownValues: ReadonlyArray<readonly [thrown: unknown, message: string]> = [
  [new TypeError('x is not a function\n    at y'), 'x is not a function\\n    at y'],
  [new RangeError(), 'RangeError'],
  ['text', 'text'],
  [undefined, 'undefined'],
]
for (const [thrown, message] of thrownValues)
  test(`reports an exception as an internal error in one line: ${message}`, async () => {
    const { code, stdout, stderr } = await runWork(() => Promise.reject(thrown))
    assert.is(code, 1)
    assert.is(stdout, `{"error":{"kind":"internal","message":"${message}"}}\n`)
    assert.match(stderr, /^svc: .*\n$/)
  })

test('reports a command that cannot be loaded as an internal error', async () => {
  const command = createCommand({ name: 'work', summary: '', flags: [], examples: [] }, () =>
    Promise.reject(new Error('no such chunk')),
  )
  const { stdout } = await runIn(createFakeRuntime(), ['work'], [command])
  assert.is(stdout, '{"error":{"kind":"internal","message":"no such chunk"}}\n')
})

test('ends the run after an uncaught exception', async () => {
  const uncaughtError = Promise.resolve(new Error('from a timer'))
  const { stdout } = await runWork(neverEnd, { uncaughtError })
  assert.is(stdout, '{"error":{"kind":"internal","message":"from a timer"}}\n')
})

for (const argv of [[], ['--help'], ['-h'], ['--pretty'], ['--help', '--version']])
  test(`prints the help of svc for ${JSON.stringify(argv)}`, async () => {
    const { code, stdout, stderr } = await runSample(...argv)
    assert.is(code, 0)
    assert.match(stdout, /^svc asks[\s\S]*Usage:[\s\S]*[^\n]\n$/)
    assert.is(stderr, '')
  })

test('prints the help of a subcommand', async () => {
  const { stdout } = await runSample('review', 'init', '-h')
  assert.match(stdout, 'svc review init [flags]')
})

for (const argv of [['-v'], ['--version'], ['--pretty', '-v']])
  test(`prints the version for ${JSON.stringify(argv)}`, async () => {
    const result = await runSample(...argv)
    assert.equal(result, { code: 0, stdout: 'svc version 1.2.3\n', stderr: '' })
  })

/** Runs `svc work` with an invalid log level in the environment. */
const runWithInvalidLogLevel = (
  overrides: Partial<AnyCommand>,
  ...flags: ReadonlyArray<string>
): Promise<ProgramResult> => {
  const command = createWorkCommand(async () => ({ stdout: 'ran' }), overrides)
  const fakeRuntime = createFakeRuntime({ env: { SERVICE_LOG_LEVEL: 'loud' } })
  return runIn(fakeRuntime, ['work', ...flags], [command])
}

test('an invalid SERVICE_LOG_LEVEL stops a command that makes calls', async () => {
  const { code, stderr } = await runWithInvalidLogLevel({ usesNetwork: true })
  assert.is(code, 1)
  assert.match(stderr, 'svc: invalid log level "loud": ')
})

test('an invalid SERVICE_LOG_LEVEL does not stop a command that makes no calls', async () => {
  assert.is((await runWithInvalidLogLevel({})).stdout, 'ran\n')
  assert.is((await runWithInvalidLogLevel({}, '--log-level=')).stdout, 'ran\n')
})

test('--log-level overrides an invalid SERVICE_LOG_LEVEL', async () => {
  const { stdout } = await runWithInvalidLogLevel({ usesNetwork: true }, '--log-level=error')
  assert.is(stdout, 'ran\n')
})

test('keeps the exit code if stdout is closed', async () => {
  const closedOutput = { isTTY: false, write: async () => undefined }
  assert.is((await runWork(async () => usage('x'), { stdout: closedOutput })).code, 1)
  assert.is((await runWork(async () => ({ exitCode: 8 }), { stdout: closedOutput })).code, 8)
})

const fullDiskOutput = { isTTY: false, write: () => Promise.reject(createSystemError('ENOSPC')) }

test('fails if stdout is on a full disk', async () => {
  const { code, stderr } = await runWork(async () => ({ stdout: 'x' }), { stdout: fullDiskOutput })
  assert.is(code, 1)
  assert.is(stderr, 'svc: write stdout: no space left on device\n')
})

test('fails if stdout and stderr are on a full disk', async () => {
  const { code } = await runWork(async () => interrupted, {
    stdout: fullDiskOutput,
    stderr: fullDiskOutput,
  })
  assert.is(code, 1)
})

/** Runs `svc work`, and interrupts the run as soon as its work waits. */
const runInterrupted = (
  work: Work,
  overrides: Partial<AnyCommand> = {},
): Promise<ProgramResult> => {
  const fakeRuntime = createFakeRuntime()
  const startWork: Work = (runtime) => {
    setImmediate(fakeRuntime.interrupt)
    return work(runtime)
  }
  return runIn(fakeRuntime, ['work'], [createWorkCommand(startWork, overrides)])
}

const interruptedResult: ProgramResult = {
  code: 130,
  stdout: '{"error":{"kind":"interrupted","message":"interrupted"}}\n',
  stderr: 'svc: interrupted\n',
}

test('an interrupt ends a command that ignores its signal', async () => {
  assert.equal(await runInterrupted(neverEnd), interruptedResult)
})

test('reports an AbortError after an interrupt as the interrupt', async () => {
  const result = await runInterrupted(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
  )
  assert.equal(result, interruptedResult)
})

test('prints the result of a command that ends in its time of grace after an interrupt', async () => {
  const work: Work = ({ signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => setImmediate(() => resolve({ stdout: 'late' })))
    })
  const result = await runInterrupted(work, { graceMs: 60_000 })
  assert.equal(result, { code: 0, stdout: 'late\n', stderr: '' })
})

const waitOneTurn = () => new Promise((resolve) => setImmediate(resolve))

test('waits for a slow write after an interrupt', async () => {
  const clock = createManualClock()
  let isWritten = false
  const write = async (): Promise<void> => {
    await waitOneTurn()
    // After an interrupt a write may take 1100 ms: 100 for the command, and 1000 for each write.
    clock.advance(500)
    await waitOneTurn()
    isWritten = true
  }
  const fakeRuntime = createFakeRuntime({ clock, stdout: { isTTY: false, write } })
  const work: Work = async () => {
    fakeRuntime.interrupt()
    return interrupted
  }
  const { code } = await runIn(fakeRuntime, ['work'], [createWorkCommand(work)])
  assert.is(code, exitCodes.interrupted)
  assert.is(isWritten, true)
})

test('an interrupt ends a write that does not complete', async () => {
  const write = () => {
    setImmediate(() => fakeRuntime.interrupt())
    return new Promise<never>(() => undefined)
  }
  const fakeRuntime = createFakeRuntime({ stdout: { isTTY: false, write } })
  const command = createWorkCommand(async () => ({ stdout: 'x' }))
  const { code } = await runIn(fakeRuntime, ['work'], [command])
  assert.is(code, exitCodes.interrupted)
})

test.run()
