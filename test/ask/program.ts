import { fakeEnv, type Reply } from '../client/support'
import { run } from '../main/run'

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
  const { env: fake, sent } = fakeEnv(surroundings.replies ?? [])
  const { code, stdout, stderr } = await run({
    ...{ argv, env, stdin, files, tty: surroundings.isTTY ? ['stdin'] : [] },
    fetch: fake.runtime.fetch,
  })
  return { stdout, stderr, exit: code, sent: sent.map(({ body }) => String(body)) }
}
