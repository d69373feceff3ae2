import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { ReviewUnit } from '../codec/review-config'
import type { Files } from '../runtime/runtime'
import { type Bundle, bundle } from './bundle'
import { type SpecFiles, specFiles } from './spec-files'

/** What a unit's questions are about: the section of the spec and the two bundles. */
export interface Material {
  readonly spec: string
  readonly implementation: Bundle
  readonly tests: Bundle
}

/** Where the material of a run's units is read. */
export interface Sources {
  readonly files: Files
  /** The configuration's folder. */
  readonly folder: string
  readonly specs: SpecFiles
  /** The most bytes of each of the two bundles. */
  readonly bundleBytes: number
}

/** The sources of `units`, whose paths start at `folder`. */
export const sources = (
  files: Files,
  folder: string,
  units: ReadonlyArray<ReviewUnit>,
  bundleBytes: number,
): Sources => ({
  ...{ files, folder, bundleBytes },
  specs: specFiles(files, folder, units),
})

/** Reads what a unit's questions are about. Fails with a text for the report. To be called once for each unit. */
export const gather = (from: Sources, unit: ReviewUnit): TE.TaskEither<string, Material> => {
  const { files, folder, bundleBytes } = from
  return pipe(
    TE.Do,
    TE.bind('spec', () => from.specs.section(unit)),
    TE.bind('implementation', () =>
      bundle(files, folder, 'implementation', unit.implementation, bundleBytes),
    ),
    TE.bind('tests', () => bundle(files, folder, 'test', unit.tests, bundleBytes)),
  )
}

/** Whether a bundle was cut. */
export const isTruncated = ({
  implementation,
  tests,
}: Pick<Material, 'implementation' | 'tests'>): boolean =>
  implementation.truncated || tests.truncated
