import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../failure/failure'
import { messageOf } from '../../failure/message'
import { access } from '../../failure/named-files'
import type { Files, Runtime } from '../../runtime/runtime'
import type { Logger } from '../../tracing/log'
import type { Keys } from './keys'

/** Where the keys of a service are configured. */
interface KeySources {
  /** Comma-separated keys: `SERVICE_API_KEYS`. */
  readonly list: string | undefined
  /** The path of a file of keys: `--api-keys-file`. */
  readonly file: string | undefined
}

/** What reading the keys uses. A file that other users can read is reported in the log. */
interface Outside {
  readonly files: Pick<Files, 'readRegular' | 'readableByOthers' | 'writableByOthers'>
  readonly log: Logger
  readonly signal: AbortSignal
}

/**
 * Reads the keys of both sources, those of the list first. Fails with a usage error where a source is given but
 * holds no key, and where users other than its owner can write the file, because they could add a key of their
 * own. D38, D78
 */
export const readConfiguredKeys = (
  { list = '', file }: KeySources,
  outside: Outside,
): TE.TaskEither<Failure, ReadonlyArray<string>> =>
  pipe(
    TE.fromEither(parseKeyList(list)),
    TE.chain((listed) =>
      pipe(
        file === undefined ? TE.right([]) : readKeysFile(file, outside),
        TE.map((filed) => [...listed, ...filed]),
      ),
    ),
  )

/**
 * A list without a key in it is a mistake. It must not pass for "no keys", which would open the service to
 * everyone.
 */
const parseKeyList = (list: string): E.Either<Failure, ReadonlyArray<string>> => {
  const keys = splitKeys(list)
  return list !== '' && keys.length === 0
    ? E.left(usage('SERVICE_API_KEYS holds no API key'))
    : E.right(keys)
}

/**
 * The most bytes that are read of a key file, far more than any list of keys has. Without it a device such as
 * `/dev/zero` would be read forever.
 */
const mostBytes = 1 << 20

const readKeysFile = (
  path: string,
  { files, log, signal }: Outside,
): TE.TaskEither<Failure, ReadonlyArray<string>> => {
  const reading = <A>(read: () => Promise<A>): TE.TaskEither<Failure, A> =>
    access(`read API keys file ${path}`, read)
  return pipe(
    reading(() => files.writableByOthers(path)),
    TE.filterOrElse(
      (writable) => !writable,
      () => usage(`API keys file ${path} can be written by others than its owner`),
    ),
    TE.chain(() =>
      reading(async () => {
        if (await files.readableByOthers(path))
          log.warning('others can read the file with the API keys', { file: path })
        // Reading a pipe could wait for ever, so only a regular file is read.
        return (await files.readRegular(path, { limit: mostBytes, signal })).bytes
      }),
    ),
    TE.filterOrElse(
      (bytes) => bytes.length <= mostBytes,
      () => usage(`API keys file ${path} exceeds 1 MiB`),
    ),
    TE.map((bytes) => keysOfFile(Buffer.from(bytes).toString('utf8'))),
    TE.filterOrElse(
      (keys) => keys.length > 0,
      () => usage(`API keys file ${path} holds no API key`),
    ),
  )
}

/** The keys of a comma-separated list. */
const splitKeys = (list: string): ReadonlyArray<string> =>
  list
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')

/** The keys of a file: one on each line. Blank lines and lines that begin with `#` are skipped. */
const keysOfFile = (text: string): ReadonlyArray<string> =>
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

/**
 * Reads the keys again on each SIGHUP, and has the service accept them. Where that fails the old keys stay valid, and
 * the log says why. D78
 */
export const reloadKeys = (
  checked: TE.TaskEither<Failure, ReadonlyArray<string>>,
  keys: Pick<Keys, 'replace'>,
  { onHangup }: Pick<Runtime, 'onHangup'>,
  log: Logger,
): void => {
  const reload = pipe(
    checked,
    TE.match(
      (failure) => log.error('kept the old API keys', { cause: messageOf(failure) }),
      (list) => {
        keys.replace(list)
        log.info('read the API keys again', { keys: list.length })
      },
    ),
  )
  let reading: Promise<void> = Promise.resolve()
  onHangup?.(() => {
    reading = reading.then(reload)
  })
}
