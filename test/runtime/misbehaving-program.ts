/** A program for `process.test.ts`, with the real runtime and `main`, but with commands that misbehave. */
import { createServer } from 'node:net'
import { right } from 'fp-ts/Either'
import type { CommandResult } from '../../lib/cli/command-result'
import { type Context, createCommand } from '../../lib/cli/declaration'
import { main } from '../../lib/cli/main'
import { unknownBuild } from '../../lib/runtime/build'
import { exitProcess, startRuntime } from '../../lib/runtime/node/start-runtime'

/** The context of a command without flags. */
type CommandContext = Context<readonly []>

type RunCommand = (context: CommandContext) => Promise<CommandResult>

/** Creates a command. After a signal, svc waits at most `graceMs` for the command to end. */
const createTestCommand = (name: string, run: RunCommand, graceMs = 100) =>
  createCommand(
    { name, summary: name, flags: [], examples: [], graceMs },
    // `createCommand` takes a function that loads the code of the command.
    async () => async (context) => right(await run(context)),
  )

const neverEnd = () => new Promise<never>(() => undefined)

/** Starts a timer, which keeps the process alive. */
const keepProcessAlive = (): void => {
  setInterval(() => undefined, 1000)
}

const reportStart = ({ runtime }: CommandContext): Promise<void> =>
  runtime.stderr.write('started\n')

const commands = [
  createTestCommand('ignore-signals', async (context) => {
    createServer().listen(0)
    process.stdin.resume()
    keepProcessAlive()
    await reportStart(context)
    return neverEnd()
  }),
  createTestCommand(
    'stop-slowly',
    async (context) => {
      const { signal, stderr } = context.runtime
      signal.addEventListener('abort', () => stderr.write('signalled\n'))
      await reportStart(context)
      keepProcessAlive()
      return neverEnd()
    },
    // An hour: longer than the test waits
    3_600_000,
  ),
  createTestCommand('write-much', async (context) => {
    await reportStart(context)
    return { stdout: Buffer.alloc(5 << 20, 'x') }
  }),
  createTestCommand('leave-server-open', async () => {
    createServer().listen(0)
    return { stdout: 'done' }
  }),
  createTestCommand('throw-later', async () => {
    setTimeout(() => {
      throw new TypeError('thrown later')
    })
    return neverEnd()
  }),
  createTestCommand('reject-unhandled', async () => {
    void Promise.reject(new TypeError('unhandled rejection'))
    return neverEnd()
  }),
  createTestCommand('emit-warnings', async () => {
    process.emitWarning('a warning')
    process.emitWarning('old', 'DeprecationWarning')
    return { stdout: 'warned' }
  }),
]

exitProcess(await main(process.argv.slice(2), startRuntime(), unknownBuild, commands))
