import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/reason'
import type { Files } from '../../runtime/runtime'

/** Where the keys of a service are configured. */
export interface KeySources {
  /** Comma-separated keys: `SERVICE_API_KEYS`. */
  readonly list: string | undefined
  /** The path of a file of keys: `--api-keys-file`. */
  readonly file: string | undefined
}

/** Reads the keys of both sources, the list's first. Fails with a usage error where a source is there but has no key. D38 */
export const configuredKeys = (
  { list = '', file }: KeySources,
  files: Pick<Files, 'read'>,
): TE.TaskEither<Failure, ReadonlyArray<string>> =>
  pipe(
    TE.fromEither(listedKeys(list)),
    TE.chain((listed) =>
      pipe(
        file === undefined ? TE.right([]) : filedKeys(file, files),
        TE.map((filed) => [...listed, ...filed]),
      ),
    ),
  )

/** A list that is set but has no key in it is a mistake, which must not open the service to everyone. */
const listedKeys = (list: string): E.Either<Failure, ReadonlyArray<string>> => {
  const keys = splitKeys(list)
  return list !== '' && keys.length === 0
    ? E.left(usage('SERVICE_API_KEYS holds no API key'))
    : E.right(keys)
}

/** Larger than any list of keys: a file that goes on past this, such as a device, is not read to its end. */
const mostBytes = 1 << 20

const filedKeys = (
  path: string,
  files: Pick<Files, 'read'>,
): TE.TaskEither<Failure, ReadonlyArray<string>> =>
  pipe(
    TE.tryCatch(
      () => files.read(path, mostBytes),
      (error) => usage(`read API keys file ${path}: ${reasonOf(error)}`),
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

/** The keys of a comma-separated list. */
export const splitKeys = (list: string): ReadonlyArray<string> =>
  list
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')

/** The keys of a file: one on each line. Blank lines and lines that begin with `#` are skipped. */
export const keysOfFile = (text: string): ReadonlyArray<string> =>
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
