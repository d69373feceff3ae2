import { dirname } from 'node:path'
import * as E from 'fp-ts/Either'
import { decodeReviewConfig, type ReviewUnit } from '../codec/review-config'
import { type Failure, usage } from '../failure/failure'
import { codeOf, reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'
import { maxFileBytes } from './read-text'

/** A decoded configuration file. */
interface LoadedConfig {
  readonly units: ReadonlyArray<ReviewUnit>
  /** The folder of the file, to which paths in the configuration are relative. */
  readonly folder: string
}

/**
 * Reads the configuration and selects the unit named `only`, or all units if `only` is empty. A unit is a section of the spec with its
 * implementation and tests. Fails with a usage error.
 */
export const loadReviewConfig = async (
  files: Files,
  path: string,
  only: string,
): Promise<E.Either<Failure, LoadedConfig>> => {
  const bytes = await readConfig(files, path)
  if (E.isLeft(bytes)) return bytes
  const units = decodeReviewConfig(path, bytes.right)
  if (E.isLeft(units)) return E.left(usage(units.left))
  const selected = only === '' ? units.right : units.right.filter(({ name }) => name === only)
  return selected.length === 0
    ? E.left(usage(`no unit named "${only}" in ${path}`))
    : E.right({ units: selected, folder: dirname(path) })
}

const readConfig = async (files: Files, path: string): Promise<E.Either<Failure, Uint8Array>> => {
  try {
    return E.right(await files.read(path, maxFileBytes))
  } catch (error) {
    return E.left(usage(`read config ${path}: ${reasonOf(error)}${suggestStarter(error)}`))
  }
}

const suggestStarter = (error: unknown): string =>
  codeOf(error) === 'ENOENT' ? "; 'svc review init' writes a starter" : ''
