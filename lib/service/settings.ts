import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../failure/failure'
import { type Duration, formatDuration, longestTimer, toMillis } from '../runtime/duration'
import { reasonOf } from '../runtime/reason'
import type { Runtime } from '../runtime/runtime'
import { keysOfFile, splitKeys } from './limits/keys'
import type { ServiceOptions } from './start'

/** The flags of `svc serve` that are about the service itself. */
export interface ServiceFlags {
  readonly host: string
  readonly port: number
  readonly 'api-keys-file': string | undefined
  readonly 'rate-limit': number
  readonly 'max-concurrent': number
  readonly 'max-queue': number
  readonly 'read-timeout': Duration
  readonly 'answer-timeout': Duration
  readonly 'idle-timeout': Duration
}

/** How long a stop waits for what is in flight. D43 */
const drainMs = 10_000

/** Request bodies held in memory at most, all together. */
const maxHeldBytes = 512 << 20

/** Reads flags, environment and the keys file; failures are usage errors. D38 */
export const serviceOptions = (
  flags: ServiceFlags,
  { env, files }: Pick<Runtime, 'env' | 'files'>,
): TE.TaskEither<Failure, ServiceOptions> =>
  pipe(
    TE.fromEither(checked(flags)),
    TE.chain(() => TE.fromEither(listedInEnv(env.SERVICE_API_KEYS))),
    TE.chain((listed) =>
      pipe(
        filedKeys(flags['api-keys-file'], files),
        TE.map((filed) => [...listed, ...filed]),
      ),
    ),
    TE.map((keys) => ({
      host: flags.host,
      port: flags.port,
      keys,
      ratePerMinute: flags['rate-limit'],
      maxConcurrent: flags['max-concurrent'],
      maxQueue: flags['max-queue'],
      readMs: toMillis(flags['read-timeout']),
      answerMs: toMillis(flags['answer-timeout']),
      idleMs: toMillis(flags['idle-timeout']),
      drainMs,
      maxHeldBytes,
    })),
  )

const checked = (flags: ServiceFlags): E.Either<Failure, void> => {
  const within = (name: keyof ServiceFlags & string, least: number, most?: number) => {
    const value = Number(flags[name])
    if (value >= least && (most === undefined || value <= most)) return []
    const range = most === undefined ? `at least ${least}` : `between ${least} and ${most}`
    return [`--${name} must be ${range}, got ${value}`]
  }
  const time = (name: 'read-timeout' | 'answer-timeout' | 'idle-timeout') => {
    const value = flags[name]
    return value > 0n && toMillis(value) <= longestTimer
      ? []
      : [`--${name} must be over 0 and below 24 days, got ${formatDuration(value)}`]
  }
  const [fault] = [
    ...(flags.host === '' ? ['--host must not be empty'] : []),
    ...within('port', 0, 65_535),
    ...within('rate-limit', 0),
    ...within('max-concurrent', 1),
    ...within('max-queue', 0),
    ...time('read-timeout'),
    ...time('answer-timeout'),
    ...time('idle-timeout'),
  ]
  return fault === undefined ? E.right(undefined) : E.left(usage(fault))
}

/** A list that is set but empty is a mistake that must not open the service. D16, D38 */
const listedInEnv = (list: string | undefined): E.Either<Failure, ReadonlyArray<string>> => {
  const keys = splitKeys(list ?? '')
  return list !== undefined && list !== '' && keys.length === 0
    ? E.left(usage('SERVICE_API_KEYS holds no API key'))
    : E.right(keys)
}

/** Larger than any list of keys. */
const mostBytes = 1 << 20

const filedKeys = (
  path: string | undefined,
  files: Runtime['files'],
): TE.TaskEither<Failure, ReadonlyArray<string>> =>
  path === undefined
    ? TE.right([])
    : pipe(
        TE.tryCatch(
          () => files.read(path, mostBytes),
          (error) => usage(`read API keys file ${path}: ${reasonOf(error)}`),
        ),
        TE.chain((bytes) => {
          const keys = keysOfFile(Buffer.from(bytes).toString('utf8'))
          if (bytes.length > mostBytes) {
            return TE.left(usage(`API keys file ${path} exceeds 1 MiB`))
          }
          return keys.length === 0
            ? TE.left(usage(`API keys file ${path} holds no API key`))
            : TE.right(keys)
        }),
      )
