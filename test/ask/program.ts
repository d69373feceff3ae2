import '../../commands/ask'
import '../../commands/models'
import { registered } from '../../commands/registry'
import type { BuildInfo } from '../../lib/cli/build'
import { main } from '../../lib/cli/main'
import { nodeClock } from '../../lib/runtime/node-clock'
import type { Runtime } from '../../lib/runtime/runtime'
import { fakeEnv, type Reply } from '../client/support'

const build: BuildInfo = {
  version: '1.2.3',
  commit: 'abc1234',
  moduleVersion: '(devel)',
  revision: '',
  modified: false,
}

/** What surrounds a run. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly isTTY?: boolean
  readonly files?: Readonly<Record<string, string>>
  readonly replies?: ReadonlyArray<Reply>
}

/** Runs `svc` with a network that plays `replies`. */
export const svc = async (argv: ReadonlyArray<string>, surroundings: Surroundings = {}) => {
  const { env = { SERVICE_API_KEY: 'sk-secret' }, stdin = '', files = {} } = surroundings
  const fake = fakeEnv(surroundings.replies ?? [])
  const written = { stdout: '', stderr: '' }
  const output = (name: keyof typeof written): Runtime['stdout'] => ({
    isTTY: false,
    write: async (data) => {
      written[name] += typeof data === 'string' ? data : Buffer.from(data).toString()
    },
  })
  const missing = () => Promise.reject(Object.assign(new Error('ENOENT'), { code: 'ENOENT' }))
  const runtime: Runtime = {
    env,
    cwd: '/',
    nodeVersion: 'v20.0.0',
    stdin: { isTTY: surroundings.isTTY ?? false, read: async () => Buffer.from(stdin) },
    stdout: output('stdout'),
    stderr: output('stderr'),
    clock: { ...fake.env.runtime.clock, timer: nodeClock.timer },
    random: () => 0,
    signal: new AbortController().signal,
    files: {
      read: async (path) => (files[path] === undefined ? missing() : Buffer.from(files[path])),
      create: missing,
      replace: missing,
      append: missing,
      checkWritable: missing,
      list: missing,
    },
    fetch: fake.env.runtime.fetch,
  }
  const exit = await main(argv, runtime, build, registered())
  return { ...written, exit, sent: fake.sent.map(({ body }) => String(body)) }
}
