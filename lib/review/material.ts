import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { ReviewUnit } from '../codec/review-config'
import { type Bundle, bundleFiles } from './bundle'
import type { FileRules } from './read-text'
import { prepareSpecFiles, type SpecFiles } from './spec-files'

/** The material that a unit's questions are about: the section of the spec, and the two bundles. */
export interface Material {
  readonly spec: string
  readonly implementation: Bundle
  readonly tests: Bundle
}

/** Where the material of units is read from. */
export interface Sources {
  readonly reading: FileRules
  readonly specs: SpecFiles
  /** The most bytes of each of the two bundles. */
  readonly bundleBytes: number
}

/** Prepares the sources of `units`. Reading spec files ends when `signal` fires. */
export const prepareSources = (
  reading: FileRules,
  units: ReadonlyArray<ReviewUnit>,
  bundleBytes: number,
  signal: AbortSignal,
): Sources => ({ reading, bundleBytes, specs: prepareSpecFiles(reading, units, signal) })

/**
 * Reads the material of a unit. Fails with a message for the report, also when `signal` fires. Call it once per
 * unit. D58
 */
export const gatherMaterial = (
  { reading, specs, bundleBytes }: Sources,
  unit: ReviewUnit,
  signal: AbortSignal,
): TE.TaskEither<string, Material> =>
  pipe(
    TE.Do,
    TE.bind('spec', () => specs.section(unit)),
    TE.bind('implementation', () =>
      bundleFiles(reading, 'implementation', unit.implementation, bundleBytes, signal),
    ),
    TE.bind('tests', () => bundleFiles(reading, 'test', unit.tests, bundleBytes, signal)),
  )

/** Whether a bundle was cut. */
export const isTruncated = ({
  implementation,
  tests,
}: Pick<Material, 'implementation' | 'tests'>): boolean =>
  implementation.truncated || tests.truncated
