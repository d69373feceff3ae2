import { dirname } from 'node:path'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { decodeReviewConfig, type ReviewUnit } from '../codec/review-config'
import { type Failure, usage } from '../failure/failure'
import { codeOf, reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'
import { maxFileBytes } from './read-text'

/** The units of a configuration file, and the folder that relative paths start at. */
interface LoadedConfig {
  readonly units: ReadonlyArray<ReviewUnit>
  readonly folder: string
}

/**
 * Reads the configuration and selects the unit named `only`, or all units if `only` is empty. Fails with a usage
 * error.
 */
export const loadReviewConfig = (
  files: Files,
  path: string,
  only: string,
): TE.TaskEither<Failure, LoadedConfig> =>
  pipe(
    TE.tryCatch(
      () => files.read(path, maxFileBytes),
      (error) => usage(`read config ${path}: ${reasonOf(error)}${suggestStarter(error)}`),
    ),
    TE.chainEitherK((bytes) => E.mapLeft(usage)(decodeReviewConfig(path, bytes))),
    TE.chainEitherK((units) => {
      const picked = only === '' ? units : units.filter(({ name }) => name === only)
      return picked.length === 0
        ? E.left(usage(`no unit named "${only}" in ${path}`))
        : E.right({ units: picked, folder: dirname(path) })
    }),
  )

const suggestStarter = (error: unknown): string =>
  codeOf(error) === 'ENOENT' ? "; 'svc review init' writes a starter" : ''
