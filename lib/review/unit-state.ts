import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { ReviewUnit } from '../codec/review-config'
import { type Bundle, bundleFiles } from './bundle'
import type { FileRules } from './read-text'
import { type FindSectionOf, prepareSpecFiles } from './section'

/** The state that a unit's questions are about: the section of the spec, and the two bundles. */
export interface UnitState {
  readonly spec: string
  readonly implementation: Bundle
  readonly tests: Bundle
}

/** The sources of a unit's material. */
export interface Sources {
  readonly reading: FileRules
  readonly findSectionOf: FindSectionOf
  /** The maximum size of each of the two bundles. */
  readonly bundleBytes: number
}

/** Prepares the sources of units. Reading spec files ends when `signal` fires. */
export const prepareSources = (
  reading: FileRules,
  bundleBytes: number,
  signal: AbortSignal,
): Sources => ({ reading, bundleBytes, findSectionOf: prepareSpecFiles(reading, signal) })

/** Reads the state of a unit. Fails with a message for the report, also if `signal` fires. */
export const readUnitState = (
  { reading, findSectionOf, bundleBytes }: Sources,
  unit: ReviewUnit,
  signal: AbortSignal,
): TE.TaskEither<string, UnitState> =>
  pipe(
    TE.Do,
    TE.bind('spec', () => findSectionOf(unit)),
    TE.bind('implementation', () =>
      bundleFiles(reading, 'implementation', unit.implementation, bundleBytes, signal),
    ),
    TE.bind('tests', () => bundleFiles(reading, 'test', unit.tests, bundleBytes, signal)),
  )

export const isTruncated = ({
  implementation,
  tests,
}: Pick<UnitState, 'implementation' | 'tests'>): boolean =>
  implementation.truncated || tests.truncated
