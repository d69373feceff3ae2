/** A program for `process.test.ts`: the real runtime and entry, with commands that misbehave. */
import { createServer } from 'node:net'
import { right } from 'fp-ts/Either'
import type { CommandResult } from '../../lib/cli/command-result'
import { type Context, createCommand } from '../../lib/cli/declaration'
import { main } from '../../lib/cli/main'
import { unknownBuild } from '../../lib/runtime/build'
import { exitProcess, startRuntime } from '../../lib/runtime/node/start-runtime'

type Work = (context: Context<readonly []>) => Promise<CommandResult>

const doing = (name: string, work: Work, graceMs = 100) =>
  createCommand(
    { name, summary: name, flags: [], examples: [], graceMs },
    async () => (context) => async () => right(await work(context)),
  )

const never = () => new Promise<never>(() => undefined)
const started = async ({ runtime }: Pick<Context<readonly []>, 'runtime'>): Promise<void> => {
  await runtime.stderr.write('started\n')
}

const commands = [
  doing('deaf', async (context) => {
    createServer().listen(0)
    process.stdin.resume()
    setInterval(() => undefined, 1000)
    await started(context)
    return never()
  }),
  doing(
    'patient',
    async (context) => {
      const { signal, stderr } = context.runtime
      signal.addEventListener('abort', () => stderr.write('signalled\n'))
      await started(context)
      setInterval(() => undefined, 1000)
      return never()
    },
    3_600_000,
  ),
  doing('flood', async (context) => {
    await started(context)
    return { stdout: Buffer.alloc(5 << 20, 'x') }
  }),
  doing('leftover', async () => {
    createServer().listen(0)
    return { stdout: 'done' }
  }),
  doing('stray', async () => {
    setTimeout(() => {
      throw new TypeError('stray exception')
    })
    return never()
  }),
  doing('unhandled', async () => {
    void Promise.reject(new TypeError('unhandled rejection'))
    return never()
  }),
  doing('warn', async () => {
    process.emitWarning('a warning')
    process.emitWarning('old', 'DeprecationWarning')
    return { stdout: 'warned' }
  }),
]

exitProcess(await main(process.argv.slice(2), startRuntime(), unknownBuild, commands))
