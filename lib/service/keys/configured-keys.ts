import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../failure/failure'
import { messageOf } from '../../failure/message'
import { access } from '../../failure/named-files'
import type { Files, Runtime } from '../../runtime/runtime'
import type { Logger } from '../../tracing/log'
import type { ApiKey, Keys } from './keys'

/** The sources of a service's keys. */
interface KeySources {
  /** Comma-separated keys, each with a name in front if it has one: `SERVICE_API_KEYS`. */
  readonly list: string | undefined
  /** The path of a file of keys: `--api-keys-file`. */
  readonly file: string | undefined
}

/** The environment world as the reading of keys uses it. The log reports a file that other users can read. */
interface KeyEnvironment {
  readonly files: Pick<Files, 'readRegular' | 'isReadableByOthers' | 'isWritableByOthers'>
  readonly log: Logger
  readonly signal: AbortSignal
}

/**
 * Reads the keys of both sources, those of the list first. Fails with a usage error if a given source has no key, or
 * if users other than its owner can write the file, because they could add a key.
 */
export const readConfiguredKeys =
  (
    { list = '', file }: KeySources,
    environment: KeyEnvironment,
  ): TE.TaskEither<Failure, ReadonlyArray<ApiKey>> =>
  async () => {
    const keysOfList = parseKeyList(list)
    if (E.isLeft(keysOfList)) return keysOfList
    if (file === undefined) return E.traverseArray(parseKey)(keysOfList.right)
    const keysOfFile = await readKeysFile(file, environment)()
    if (E.isLeft(keysOfFile)) return keysOfFile
    return E.traverseArray(parseKey)([...keysOfList.right, ...keysOfFile.right])
  }

/**
 * Splits `name:key`. A key that contains a colon needs a name in front. The messages repeat neither part, because a
 * key may be in the place of the name.
 */
const parseKey = (text: string): E.Either<Failure, ApiKey> => {
  const colon = text.indexOf(':')
  if (colon < 0) return E.right({ key: text })
  const name = text.slice(0, colon)
  const key = text.slice(colon + 1)
  return /^[\w.-]{1,64}$/.test(name) && key !== ''
    ? E.right({ name, key })
    : E.left(
        usage(
          'a configured API key with a colon must be written name:key; a name has up to 64 letters, digits, _, . or -',
        ),
      )
}

/** Parses the list. Fails for a list without a key, which is a mistake: taken for "no keys", it would open the service to all. */
const parseKeyList = (list: string): E.Either<Failure, ReadonlyArray<string>> => {
  const keys = splitKeys(list)
  return list !== '' && keys.length === 0
    ? E.left(usage('SERVICE_API_KEYS holds no API key'))
    : E.right(keys)
}

const maxKeyFileBytes = 1 << 20

const readKeysFile = (
  path: string,
  { files, log, signal }: KeyEnvironment,
): TE.TaskEither<Failure, ReadonlyArray<string>> => {
  const reading = <A>(read: () => Promise<A>): TE.TaskEither<Failure, A> =>
    access(`read API keys file ${path}`, read)
  return pipe(
    reading(() => files.isWritableByOthers(path)),
    TE.filterOrElse(
      (writable) => !writable,
      () => usage(`API keys file ${path} can be written by others than its owner`),
    ),
    TE.chain(() =>
      reading(async () => {
        if (await files.isReadableByOthers(path))
          log.warning('others can read the file with the API keys', { file: path })
        // Reading a pipe could wait for ever, so only a regular file is read.
        return (await files.readRegular(path, { limit: maxKeyFileBytes, signal })).bytes
      }),
    ),
    TE.filterOrElse(
      (bytes) => bytes.length <= maxKeyFileBytes,
      () => usage(`API keys file ${path} exceeds 1 MiB`),
    ),
    TE.map((bytes) => splitKeyFile(Buffer.from(bytes).toString('utf8'))),
    TE.filterOrElse(
      (keys) => keys.length > 0,
      () => usage(`API keys file ${path} holds no API key`),
    ),
  )
}

/** Splits a comma-separated list of keys. */
const splitKeys = (list: string): ReadonlyArray<string> =>
  list
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')

/** Splits the text of a key file: one key on each line. Skips blank lines and lines that begin with `#`. */
const splitKeyFile = (text: string): ReadonlyArray<string> =>
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

/** Reads the keys again on each SIGHUP. If that fails, the old keys stay in effect and the log says why. */
export const reloadKeys = (
  readKeys: TE.TaskEither<Failure, ReadonlyArray<ApiKey>>,
  keys: Pick<Keys, 'replace'>,
  { onHangup }: Pick<Runtime, 'onHangup'>,
  log: Logger,
): void => {
  const reload = pipe(
    readKeys,
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
