import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../failure/failure'
import { runFileOperation } from '../../failure/named-files'
import { messageOf } from '../../failure/report'
import type { Files, Runtime } from '../../runtime/runtime'
import type { Logger } from '../../tracing/log'
import type { ApiKey, Keys } from './keys'

/** The sources of a service's keys. A source that is `undefined` is not configured. */
interface KeySources {
  /** `SERVICE_API_KEYS`: comma-separated keys, each as `key` or `name:key`. */
  readonly list: string | undefined
  /** `--api-keys-file`: the path of a file with one key per line. */
  readonly file: string | undefined
}

/** The part of the runtime for reading keys. A key file that other users can read causes a warning in the log. */
interface KeyEnvironment {
  readonly files: Pick<Files, 'readRegular' | 'isReadableByOthers' | 'isWritableByOthers'>
  readonly log: Logger
  readonly signal: AbortSignal
}

/**
 * Reads the keys of the list, then those of the file. Fails with a usage error if a configured source cannot be read, has no key, or
 * has an invalid entry. Also fails if users other than its owner can write the file, because they could add a key.
 */
export const readConfiguredKeys =
  (
    { list = '', file }: KeySources,
    environment: KeyEnvironment,
  ): TE.TaskEither<Failure, ReadonlyArray<ApiKey>> =>
  async () => {
    const listEntries = splitKeyList(list)
    if (E.isLeft(listEntries)) return listEntries
    const fileEntries = file === undefined ? E.right([]) : await readKeysFile(file, environment)
    if (E.isLeft(fileEntries)) return fileEntries
    const listed = E.traverseArray((text: string) => parseKey(text, ''))(listEntries.right)
    if (E.isLeft(listed)) return listed
    const inFile = E.traverseArray(({ text, line }: KeyLine) =>
      parseKey(text, ` in line ${line} of ${file}`),
    )(fileEntries.right)
    return E.isLeft(inFile) ? inFile : E.right([...listed.right, ...inFile.right])
  }

/**
 * Parses `key` or `name:key`. The message of a failure repeats no part of the text, because each part may be a key. `place` is the
 * line of the file, for the message, or `''`.
 */
const parseKey = (text: string, place: string): E.Either<Failure, ApiKey> => {
  const colon = text.indexOf(':')
  if (colon < 0) return E.right({ key: text })
  const name = text.slice(0, colon)
  const key = text.slice(colon + 1)
  return /^[\w.-]{1,64}$/.test(name) && key !== ''
    ? E.right({ name, key })
    : E.left(
        usage(
          `a configured API key with a colon${place} must be written name:key; a name has up to 64 letters, digits, _, . or -`,
        ),
      )
}

/**
 * Splits the comma-separated list. An empty list is not configured, so it has no entries. A list such as `,` is configured but has no
 * key. It fails, because a service without keys is open to everyone.
 */
const splitKeyList = (list: string): E.Either<Failure, ReadonlyArray<string>> => {
  const entries = list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  return list !== '' && entries.length === 0
    ? E.left(usage('SERVICE_API_KEYS holds no API key'))
    : E.right(entries)
}

const maxKeyFileBytes = 1 << 20

const readKeysFile = async (
  path: string,
  { files, log, signal }: KeyEnvironment,
): Promise<E.Either<Failure, ReadonlyArray<KeyLine>>> => {
  const subject = `API keys file ${path}`
  const othersAccess = await runFileOperation(`read ${subject}`, async () => ({
    canWrite: await files.isWritableByOthers(path),
    canRead: await files.isReadableByOthers(path),
  }))()
  if (E.isLeft(othersAccess)) return othersAccess
  const { canWrite, canRead } = othersAccess.right
  if (canWrite) return E.left(usage(`${subject} can be written by others than its owner`))
  if (canRead) log.warning('others can read the file with the API keys', { file: path })
  const content = await runFileOperation(`read ${subject}`, () =>
    // Only a regular file is read, because reading a named pipe could wait forever.
    files.readRegular(path, { maxBytes: maxKeyFileBytes, signal }),
  )()
  if (E.isLeft(content)) return content
  const { bytes } = content.right
  // `readRegular` returns one byte more than `maxBytes` if the file is larger.
  if (bytes.length > maxKeyFileBytes) return E.left(usage(`${subject} exceeds 1 MiB`))
  const entries = splitKeyFile(Buffer.from(bytes).toString('utf8'))
  return entries.length === 0 ? E.left(usage(`${subject} holds no API key`)) : E.right(entries)
}

const byteOrderMark = /^\uFEFF/

/** A line of a key file. */
interface KeyLine {
  readonly text: string
  /** The number of the line, from 1. */
  readonly line: number
}

/** Splits the text of a key file into lines. Skips empty lines and lines that begin with `#`. */
const splitKeyFile = (text: string): ReadonlyArray<KeyLine> =>
  text
    .replace(byteOrderMark, '')
    .split(/\r?\n/)
    .map((line, index) => ({ text: line.trim(), line: index + 1 }))
    .filter((line) => line.text !== '' && !line.text.startsWith('#'))

/** From now on, reads the keys again on each SIGHUP. If that fails, the old keys stay in effect and the reason is logged. */
export const reloadKeysOnHangup = (
  readKeys: TE.TaskEither<Failure, ReadonlyArray<ApiKey>>,
  keys: Pick<Keys, 'replace'>,
  { onHangup }: Pick<Runtime, 'onHangup'>,
  log: Logger,
): void => {
  const reload = pipe(
    readKeys,
    TE.match(
      (failure) => log.error('kept the old API keys', { cause: messageOf(failure) }),
      (newKeys) => {
        keys.replace(newKeys)
        log.info('read the API keys again', { keys: newKeys.length })
      },
    ),
  )
  // A signal during a reload starts another reload when the first one has ended.
  let lastReload: Promise<void> = Promise.resolve()
  onHangup?.(() => {
    lastReload = lastReload.then(reload)
  })
}
